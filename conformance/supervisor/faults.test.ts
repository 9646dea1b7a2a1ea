import { describe, expect, it } from "vitest";
import {
  FAULTS,
  FAULTY_TEXT,
  type Fault,
  startFaultyPeer,
  startScriptedPeer,
  startSlowPeer,
  startTaskPeer,
} from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { Scene } from "./testing/scene.ts";
import type { ScriptedTurn } from "./testing/scripted-endpoint.ts";

/** The outcome of a fault: correct text or a failure reason, and the counted metric. */
interface Containment {
  /** Undefined if it failed. */
  readonly text?: string;
  /** Why, as the user and the model read it. */
  readonly reason?: RegExp;
  readonly warning?: RegExp;
  readonly counted: Readonly<Record<string, number>>;
}

const right = { text: FAULTY_TEXT };
const CONTAINED: Readonly<Record<Exclude<Fault, "card of 2 MB">, Containment>> = {
  "no stream method": { ...right, counted: { not_streamed: 1 } },
  "plain JSON for a stream": { ...right, counted: { not_streamed: 1 } },
  "endless stream": { reason: /sent more than 60000 characters/, counted: { characters: 1 } },
  "10,000 artifacts": {
    text: Array.from({ length: 200 }, (_, place) => `a${place}`).join(""),
    warning: /9[78]\d\d further artifacts were too many, and were left out/,
    counted: { artifacts: 1 },
  },
  "20 MB in one event": { reason: /an event of more than 4194304 characters/, counted: { unreadable: 1 } },
  "20 MB in many events": { reason: /sent more than 60000 characters/, counted: { characters: 1 } },
  "appended before it was begun": { ...right, counted: { append_violation: 1, replaced: 1 } },
  "every event twice": { ...right, counted: { replaced: 1, late_event: 1 } },
  "events of another task": { ...right, counted: { foreign_event: 5, late_event: 1 } },
  "artifacts without an id": { ...right, counted: { artifact_without_id: 1 } },
  "no final status": { ...right, counted: { reconnect: 1 } },
  "final status twice": { ...right, counted: { late_event: 3 } },
  "garbage between frames": { reason: /did not answer in A2A \(no JSON/, counted: { unreadable: 1 } },
  "changing card": { ...right, counted: {} },
};
const faults = Object.entries(CONTAINED) as [keyof typeof CONTAINED, Containment][];
const delegation = { characters: 60_000, artifacts: 200 };

async function sceneOf(fault: Fault, turns: readonly ScriptedTurn[]) {
  const peers = {
    faulty: await during(startFaultyPeer(fault)),
    good: await during(startSlowPeer({ tokens: ["all ", "is ", "well"], pause: 5 })),
  };
  return { peers, scene: await Scene.start({ peers, turns, delegation }) };
}

describe.each(faults)("an agent with %s", (fault, { text, reason, warning, counted }) => {
  it("is contained, counted and reported, and the other branch finishes (S3.8, S3.10)", async () => {
    const turns = [{ plan: [{ agent: "faulty" }, { agent: "good" }] }, { text: "That is all." }];
    const { peers, scene } = await sceneOf(fault, turns);
    const answer = await scene.ask("go");

    expect([answer.state, answer.text("partial_result")]).toEqual(["completed", "That is all."]);
    expect([answer.from("good"), answer.ended("good")?.outcome]).toEqual(["all is well", "succeeded"]);
    expect(answer.ended("faulty")?.outcome).toBe(reason ? "failed" : "succeeded");
    if (text !== undefined) expect(answer.from("faulty")).toBe(text);
    const [faulty, good] = JSON.parse(
      scene.model.toolResults[1]?.replace("The call failed: ", "") ?? "",
    ).steps;
    expect(good).toMatchObject({ agent: "good", state: "completed", result: "all is well" });
    if (reason) {
      expect(answer.ended("faulty")?.text).toMatch(reason);
      expect(faulty).toMatchObject({ state: "failed", result: expect.stringMatching(reason) });
    }
    if (warning) {
      expect(answer.notices.join("\n")).toMatch(warning);
      expect(faulty.result).toMatch(warning);
    }
    expect(await scene.oddities()).toEqual(counted);
    expect(scene.violations().supervisor).toEqual([]);
    // A stopped agent received a cancel request.
    if ("characters" in counted) await expect.poll(() => peers.faulty.canceled).toHaveLength(1);
  });

  it("is also contained when its text is the answer: the text is correct, or retracted with a reason", async () => {
    const { scene } = await sceneOf(fault, [{ plan: [{ agent: "faulty" }] }, { text: "Sorry." }]);
    const answer = await scene.ask("go");
    const said = reason ? "Sorry." : warning ? "a0" : text;
    expect([answer.text("streaming_result"), answer.text("partial_result")]).toEqual([said, said]);
    expect(answer.state).toBe("completed");
    if (reason) expect(answer.ended("faulty")?.text).toMatch(reason);
    if (reason) expect(scene.model.toolResults[1]).toMatch(reason);
    else expect(scene.model.toolResults).toHaveLength(1);
    expect(scene.violations().supervisor).toEqual([]);
  });
});

it("every known fault is contained by one of these tests", () => {
  expect([...Object.keys(CONTAINED), "card of 2 MB"].sort()).toEqual(Object.keys(FAULTS).sort());
});

it("an agent with a card of 2 MB is not used, the registry reports why, and a plan that names it is repaired", async () => {
  const { scene } = await sceneOf("card of 2 MB", [
    { plan: [{ agent: "faulty" }, { agent: "good" }] },
    { plan: [{ agent: "good" }] },
  ]);
  expect(scene.registry.agent("faulty")).toMatchObject({
    state: "down",
    trouble: expect.stringMatching(/card/),
  });
  const answer = await scene.ask("go");
  expect(scene.model.toolResults[1]).toContain('There is no agent "faulty". The agents are: good.');
  expect(answer.text("partial_result")).toBe("all is well");
  expect(scene.violations()).toEqual({ supervisor: [], agents: [] });
});

it("an agent that creates artifacts endlessly is stopped, even after forwarding has ended (S3.8)", async () => {
  const peer = await during(
    startScriptedPeer({
      *steps(say) {
        yield say.task("WORKING");
        for (let place = 0; ; place++) {
          yield say.piece("", { artifactId: `artifact-${place}`, lastChunk: true });
          if (place % 100 === 99) yield { pause: 1 };
        }
      },
      record: (say) => say.record("WORKING"),
    }),
  );
  const turns = [{ plan: [{ agent: "many" }] }, { text: "Sorry." }];
  const scene = await Scene.start({ peers: { many: peer }, turns, delegation: { artifacts: 5 } });
  const answer = await scene.ask("go");
  expect(answer.ended("many")?.text).toContain("sent more than 500 artifacts");
  await expect.poll(() => peer.canceled).toHaveLength(1);
  expect(await scene.oddities()).toEqual({ artifacts: 1 });
  expect(scene.violations().supervisor).toEqual([]);
});

it("an agent that marks every chunk as last is read to its end, and the supervisor marks only the final chunk (S3.1, S3.8)", async () => {
  const chatty = () =>
    during(
      startTaskPeer((task) => {
        for (const [place, text] of ["One ", "two ", "three."].entries())
          task.piece({ artifactId: "result", parts: [{ text }] }, { append: place > 0, lastChunk: true });
        task.status("COMPLETED");
      }),
    );
  const peers = { one: await chatty(), two: await chatty() };
  const scene = await Scene.start({ peers, turns: [{ plan: [{ agent: "one" }, { agent: "two" }] }] });
  const answer = await scene.ask("go");
  expect([answer.from("one"), answer.from("two")]).toEqual([FAULTY_TEXT, FAULTY_TEXT]);
  expect(scene.violations().supervisor).toEqual([]);
});
