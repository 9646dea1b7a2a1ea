import { approvalAnswer, approvalRequest, memberInPart, memberPart } from "@parley/a2a";
import { describe, expect, it } from "vitest";
import {
  type Peer,
  type PeerDialect,
  startAskingPeer,
  startSlowPeer,
  startTaskPeer,
} from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { Scene } from "./testing/scene.ts";

describe.each(["1.0", "0.3", "0.1"] as PeerDialect[])("an agent of A2A %s that asks", (dialect) => {
  it.each([
    ["streams", true],
    ["is polled", false],
  ])(
    "and %s: its question becomes the task's, and the answer is routed to its task (S1.13, +11)",
    async (_, streaming) => {
      const peer = await during(startAskingPeer({ dialect, streaming, question: "Blue or red?" }));
      const scene = await Scene.start({ peers: { shy: peer }, turns: [{ plan: [{ agent: "shy" }] }] });
      const asked = await scene.ask("paint it");
      expect([asked.state, asked.says]).toEqual(["input_required", "Blue or red?"]);
      expect(asked.notices).toContain("❓ Agent Shy asks:\nBlue or red?");
      const { taskId } = asked;
      const answered = await scene.ask("blue", { taskId });
      expect([answered.state, answered.text("partial_result")]).toEqual(["completed", "You said: blue"]);
      expect(scene.model.toolResults).toHaveLength(1);
      expect(scene.violations().supervisor).toEqual([]);
    },
  );
});

it("an agent that chooses its own context is answered in that context (S1.13)", async () => {
  const peer = await during(startAskingPeer({ question: "Blue or red?", choosesContext: true }));
  const scene = await Scene.start({ peers: { shy: peer }, turns: [{ plan: [{ agent: "shy" }] }] });
  const { taskId } = await scene.ask("paint it");
  const answered = await scene.ask("blue", { taskId });
  expect([answered.state, answered.text("partial_result")]).toEqual(["completed", "You said: blue"]);
});

/** The text of all messages that a peer got. */
const heardBy = ({ requests }: Peer) => requests.map(({ text }) => text).filter(Boolean);

describe("two agents that ask at once", () => {
  it("are answered oldest first, each in its own task, while a third keeps working (S1.13)", async () => {
    const peers = {
      early: await during(startAskingPeer({ question: "Which cluster?" })),
      late: await during(
        startTaskPeer(async (task) => {
          await task.pause(150);
          const answer = await task.ask("Which branch?");
          await task.text({ artifactId: "result", name: "result" }, ["Branch ", answer]);
          task.status("COMPLETED");
        }),
      ),
      busy: await during(startSlowPeer({ tokens: ["working ", "on"], pause: 20 })),
    };
    const agents = Object.keys(peers);
    const scene = await Scene.start({ peers, turns: [{ plan: agents.map((agent) => ({ agent })) }] });
    const asked = await scene.ask("deploy");
    expect([asked.state, asked.from("busy")]).toEqual(["input_required", "working on"]);
    expect(asked.notices).toEqual(
      expect.arrayContaining(["❓ Agent Early asks:\nWhich cluster?", "❓ Agent Late asks:\nWhich branch?"]),
    );
    expect(asked.plan?.steps.map(({ state }) => state)).toEqual(["waiting", "waiting", "completed"]);
    const { taskId } = asked;
    const once = await scene.ask("production", { taskId });
    expect([once.state, once.says, once.from("early")]).toEqual([
      "input_required",
      "Which branch?",
      "You said: production",
    ]);
    const twice = await scene.ask("main", { taskId });
    expect([twice.state, twice.from("late")]).toEqual(["completed", "Branch main"]);
    expect(heardBy(peers.early)).toEqual(["work for early", "production"]);
    expect(heardBy(peers.late)).toEqual(["work for late", "main"]);
    expect(scene.model.toolResults.at(-1)).toContain("You said: production");
    expect(scene.violations().supervisor).toEqual([]);
  });

  it("are answered by approval request id, regardless of order (S1.13)", async () => {
    const approves = (id: string) =>
      startTaskPeer(async (task) => {
        const request = { id, tool: `tool-${id}`, arguments: {}, argumentsHash: `hash-${id}` };
        const answer = await task.ask("May I?", [memberPart(approvalRequest, request)]);
        await task.text({ artifactId: `result-${id}`, name: "result" }, [id, " heard ", answer]);
        task.status("COMPLETED");
      });
    const peers = { one: await during(approves("a")), two: await during(approves("b")) };
    const scene = await Scene.start({ peers, turns: [{ plan: [{ agent: "one" }, { agent: "two" }] }] });
    const asked = await scene.ask("go");
    const { taskId } = asked;
    expect(asked.status.some((part) => memberInPart(part, approvalRequest).value)).toBe(true);
    const answer = (id: string) =>
      memberPart(approvalAnswer, {
        id,
        decision: "approved",
        tool: `tool-${id}`,
        argumentsHash: `hash-${id}`,
      });
    const second = await scene.ask("yes to b", { taskId, parts: [{ text: "yes to b" }, answer("b")] });
    expect([second.state, second.from("two"), second.from("one")]).toEqual([
      "input_required",
      "b heard yes to b",
      "",
    ]);
    const first = await scene.ask("yes to a", { taskId, parts: [{ text: "yes to a" }, answer("a")] });
    expect([first.state, first.from("one")]).toEqual(["completed", "a heard yes to a"]);
    expect(scene.violations().supervisor).toEqual([]);
  });
});
