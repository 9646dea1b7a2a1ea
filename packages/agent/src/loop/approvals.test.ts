import {
  approvalAnswer,
  approvalRequest,
  memberIn,
  memberInPart,
  memberPart,
  type Task,
  toolCall,
} from "@parley/a2a";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it } from "vitest";
import { agentAtWork, type Circumstances, calling, shown } from "./testing/agent-at-work.ts";
import { artifactText, endOf, inShort } from "./testing/seen-stream.ts";
import { openJournal } from "./testing/working-agent.ts";

const asks = { default: "always", tools: [{ pattern: "it__log", mode: "ask" }] } as const;
const writing = { text: ["I write. "], calls: [calling("c1", "log", { line: "one" })] };
const done = { text: ["Written."] };

const writes = (circumstances: Circumstances = {}) =>
  agentAtWork([writing, done], { approval: asks, ...circumstances });

function requestIn({ status }: Task) {
  const found = status.message?.parts.map((part) => memberInPart(part, approvalRequest).value);
  return found?.find((value) => value !== undefined);
}
function linesOf(events: readonly unknown[]): string[] {
  return events.flatMap((event) => {
    const { type, line } = event as { type: string; line?: string };
    return type === "log" && line !== undefined ? [line] : [];
  });
}

describe("a tool that asks first", () => {
  it("is not called; the task waits with a question for people and one for programs", async () => {
    const { agent, events } = await writes();
    const task = await agent.send("go");
    expect(endOf(task)).toMatch(
      /^input_required: May I call it__log with \{"line":"one"\}\? Answer yes or no\./,
    );
    expect(requestIn(task)).toMatchObject({ id: "c1", tool: "it__log", arguments: { line: "one" } });
    expect([artifactText(task), linesOf(events)]).toEqual([{ current_result: "I write. " }, []]);
  });

  it("is called after a yes, and the same artifact goes on", async () => {
    const { agent, events } = await writes();
    const { id: taskId } = await agent.send("go");
    const task = await agent.send({ taskId, parts: [{ text: "yes" }] });
    expect([endOf(task), artifactText(task)]).toEqual(["completed", { current_result: "I write. Written." }]);
    expect(linesOf(events)).toEqual(["one"]);
  });

  it("is called with the arguments that the answer brings instead, and the notice shows these", async () => {
    const { agent, events } = await writes();
    const asked = await agent.send("go");
    const { id = "", argumentsHash = "", tool = "" } = requestIn(asked) ?? {};
    const answer = { id, tool, argumentsHash, decision: "approved", arguments: { line: "two" } } as const;
    const seen = await agent.streamed({ taskId: asked.id, parts: [memberPart(approvalAnswer, answer)] });
    expect(linesOf(events)).toEqual(["two"]);
    const calls = seen.flatMap((event) =>
      "statusUpdate" in event ? (memberIn(event.statusUpdate?.metadata, toolCall).value ?? []) : [],
    );
    expect(calls).toEqual([{ id: "c1", tool: "it__log", arguments: { line: "two" } }]);
  });

  it.each([
    ["after a no", [{ text: "no, not today" }], "did not allow this call: no, not today"],
    [
      "after a yes to something else",
      [
        memberPart(approvalAnswer, {
          id: "c1",
          tool: "it__log",
          argumentsHash: "other",
          decision: "approved",
        }),
      ],
      "did not allow this call: The answer was to another question.",
    ],
  ])("is not called %s, and the model hears why", async (_, parts, reason) => {
    const { agent, events, provider } = await writes();
    const { id: taskId } = await agent.send("go");
    expect(endOf(await agent.send({ taskId, parts }))).toBe("completed");
    expect(shown(provider).at(-1)?.content).toContain(reason);
    expect(linesOf(events)).toEqual([]);
  });

  it("is asked about one call at a time, after all that needs no question was done", async () => {
    const calls = [
      calling("c1", "log", { line: "one" }),
      calling("c2", "echo", { say: "free" }),
      calling("c3", "log", { line: "three" }),
    ];
    const { agent, provider, events } = await agentAtWork([{ calls }, done], { approval: asks });
    const first = (await agent.streamed("go")).map(inShort);
    expect(first.filter((line) => /🔧|May I/.test(line))).toEqual([
      "working: 🔧 Calling tool: it__echo",
      expect.stringContaining('"one"'),
    ]);
    const [taskId] = (await agent.operations.list({}, { owner: "ann", dialect: "1.0" })).tasks.map(
      ({ id }) => id,
    );
    const second = await agent.send({ taskId: taskId ?? "", parts: [{ text: "ok" }] });
    expect(endOf(second)).toContain('"three"');
    expect(endOf(await agent.send({ taskId: taskId ?? "", parts: [{ text: "no" }] }))).toBe("completed");
    expect(shown(provider).flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(["c1", "c2", "c3"]);
    expect(linesOf(events)).toEqual(["one"]);
  });

  it("takes nothing that was said before the question for its answer", async () => {
    const calls = [calling("c0", "slow", { steps: 25 }), calling("c1", "log", { line: "one" })];
    const { agent, provider, events } = await agentAtWork([{ calls }, done], { approval: asks });
    const taskId = await agent.begin("go");
    await expect.poll(async () => endOf(await agent.get(taskId))).toContain("Calling tool: it__slow");
    await agent.begin({ taskId, parts: [{ text: "ok" }] });
    await expect.poll(async () => endOf(await agent.get(taskId))).toContain("May I call it__log");
    expect(endOf(await agent.send({ taskId, parts: [{ text: "no" }] }))).toBe("completed");
    expect(linesOf(events)).toEqual([]);
    expect(shown(provider).map(({ role, content }) => [role, String(content)])).toEqual([
      ["system", "Be brief."],
      ["user", "go"],
      ["assistant", expect.anything()],
      ["tool", "done"],
      ["tool", expect.stringContaining("did not allow")],
      ["user", "ok"],
    ]);
  });

  it.each([
    ["yes", ["one"]],
    ["no", []],
  ])("may be answered after a restart: %s", async (answer, written) => {
    const folder = await testFolder();
    const before = await openJournal("SQLite", folder);
    const { id: taskId } = await (await writes({ journal: before })).agent.send("go");
    await before.close();
    const journal = await openJournal("SQLite", folder);
    const { agent, events } = await agentAtWork([done], { approval: asks, journal });
    await agent.recover();
    expect(endOf(await agent.get(taskId))).toContain("May I call it__log");
    const task = await agent.send({ taskId, parts: [{ text: answer }] });
    expect([endOf(task), artifactText(task)]).toEqual(["completed", { current_result: "I write. Written." }]);
    expect(linesOf(events)).toEqual(written);
  });
});
