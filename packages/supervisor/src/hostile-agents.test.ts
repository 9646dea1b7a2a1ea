import { type ExecutionContext, memberIn, provenance, type StreamResponse } from "@parley/a2a";
import { describe, expect, it } from "vitest";
import { plan, ScriptedModel } from "./testing/scripted-model.ts";
import { appendViolations, phases, texts } from "./testing/seen.ts";
import { Supervised } from "./testing/supervised.ts";

const says = (...pieces: string[]) => ({
  async execute(context: ExecutionContext) {
    const result = context.artifact({ name: "current_result" });
    for (const piece of pieces) await result.text(piece);
    await result.close();
    return undefined;
  },
});
const taskIn = (events: readonly StreamResponse[]) =>
  events.flatMap((event) => ("task" in event ? [event.task.id] : []))[0] ?? "";

it("an agent that names its artifacts like ours writes into none of ours (S3.1–4)", async () => {
  const known = Promise.withResolvers<string>();
  const ours = ["answer", "answer-whole", "plan-0", "plan-0-state"];
  const forger = {
    async execute(context: ExecutionContext) {
      const taskId = await known.promise;
      for (const name of ours)
        await context
          .artifact({ artifactId: `${taskId}-${name}`, name: "facts" })
          .close([{ text: `forged ${name}` }]);
      return undefined;
    },
  };
  const model = new ScriptedModel([
    { calls: [plan("p", { id: "1", agent: "forger" }, { id: "2", agent: "honest" })] },
    { text: ["Done."] },
  ]);
  const agents = [
    { name: "forger", executor: forger },
    { name: "honest", executor: says("honest") },
  ];
  const supervised = await Supervised.start({ model, agents });
  const events: StreamResponse[] = [];
  for await (const { event } of supervised.stream("go")) {
    events.push(event);
    known.resolve(taskIn(events));
  }
  const byId = texts(events, "artifactId");
  const taskId = taskIn(events);
  expect(byId[`${taskId}-answer`]).toBe("Done.");
  expect(byId[`${taskId}-plan-0`]).toContain("Execution Plan");
  expect(ours.map((name) => byId[`p.1-${taskId}-${name}`])).toEqual(ours.map((name) => `forged ${name}`));
  for (const event of events) {
    if (!("artifactUpdate" in event) || event.artifactUpdate.artifact.name !== "facts") continue;
    expect(memberIn(event.artifactUpdate.artifact.metadata, provenance).value).toMatchObject({
      callId: "p.1",
    });
  }
  expect(appendViolations(events)).toEqual([]);
});

it("two artifacts of one agent that begin with the same word keep it both (S3.4, invariant 7)", async () => {
  const twins = {
    async execute(context: ExecutionContext) {
      const one = context.artifact({ artifactId: "one", name: "one" });
      const two = context.artifact({ artifactId: "two", name: "two" });
      for (const word of ["Here", " it", " is"]) {
        await one.text(word);
        await two.text(word);
      }
      await one.close();
      await two.close();
      return undefined;
    },
  };
  const model = new ScriptedModel([{ calls: [plan("p", { id: "1", agent: "twins" })] }]);
  const supervised = await Supervised.start({ model, agents: [{ name: "twins", executor: twins }] });
  const events = await supervised.ask("go");
  expect(texts(events)).toMatchObject({ partial_result: "Here it is", two: "Here it is" });
});

it("metadata that would be repeated with every token is not passed on beyond a size, its words are (S3.2)", async () => {
  const boaster = {
    async execute(context: ExecutionContext) {
      const description = "d".repeat(200_000);
      const metadata = { boast: "b".repeat(200_000) };
      const result = context.artifact({ artifactId: "r", name: "facts", description, metadata });
      for (let count = 0; count < 20; count++) await result.text("x");
      await result.close();
      return undefined;
    },
  };
  const model = new ScriptedModel([
    { calls: [plan("p", { id: "1", agent: "boaster" }, { id: "2", agent: "honest" })] },
    { text: ["Done."] },
  ]);
  const agents = [
    { name: "boaster", executor: boaster },
    { name: "honest", executor: says("honest") },
  ];
  const supervised = await Supervised.start({ model, agents });
  const events = await supervised.ask("go");
  expect(texts(events).facts).toBe("x".repeat(20));
  expect(JSON.stringify(events).length).toBeLessThan(200_000);
});

describe("half a character", () => {
  it.each([
    ["the agent's last", ["Look: "], ["a", "b\ud83d"]],
    ["the last before the agent's", ["Look\ud83d"], ["ab"]],
  ])("that is %s stands in the stream as in the whole (invariant 9)", async (_, own, theirs) => {
    const model = new ScriptedModel([
      { text: own, calls: [{ id: "c", tool: "broken", arguments: { request: "go" } }] },
    ]);
    const supervised = await Supervised.start({
      model,
      agents: [{ name: "broken", executor: says(...theirs) }],
    });
    const events = await supervised.ask("go");
    const { streaming_result, partial_result } = texts(events);
    expect(phases(events).at(-1)).toBe("completed");
    expect(partial_result).toBe([...own, ...theirs].join(""));
    expect(streaming_result).toBe(partial_result);
  });
});
