import { budget, type ExecutionContext, taskTables, withMember } from "@parley/a2a";
import { type Journal, openMemoryJournal } from "@parley/journal";
import { describe, expect, it } from "vitest";
import { plan, ScriptedModel } from "./testing/scripted-model.ts";
import { phases, texts } from "./testing/seen.ts";
import { Supervised } from "./testing/supervised.ts";

const says = (text: string) => ({
  async execute(context: ExecutionContext) {
    await context.artifact({ name: "current_result" }).close([{ text }]);
    return undefined;
  },
});
/** What the task's execution noted. */
async function notesOf(journal: Journal, taskId: string) {
  type Note = { delegation?: { id: string; began?: object; canceled?: object } };
  const events = await journal.read<{ noted?: Note }>(`task/${taskId}`, 0, 1_000);
  return events.flatMap(({ payload: { noted } }) => noted ?? []);
}
const call = (id: string, tool: string) => ({ id, tool, arguments: { request: "go" } });

it("two plans in one turn are shown as two, each with its own steps (S0.6–7, +6)", async () => {
  const model = new ScriptedModel([
    { calls: [plan("p", { id: "1", agent: "one" }), plan("q", { id: "1", agent: "two" })] },
    { text: ["Done."] },
  ]);
  const agents = ["one", "two"].map((name) => ({ name, executor: says(name) }));
  const supervised = await Supervised.start({ model, agents });
  const events = await supervised.ask("go");
  const [first] = events;
  const taskId = first && "task" in first ? first.task.id : "";
  const { artifacts = [] } = await supervised.client.get({ id: taskId });
  const plans = artifacts.filter(({ name }) => name?.startsWith("execution_plan"));
  expect(plans.map(({ artifactId, name }) => [artifactId, name])).toEqual([
    [`${taskId}-plan-0`, "execution_plan_update"],
    [`${taskId}-plan-1`, "execution_plan_update"],
    [`${taskId}-plan-0-state`, "execution_plan_state"],
    [`${taskId}-plan-1-state`, "execution_plan_state"],
  ]);
  const shown = texts(events, "artifactId");
  expect(shown[`${taskId}-plan-0`]).toContain("*one*");
  expect(shown[`${taskId}-plan-1`]).toContain("*two*");
  expect(shown[`${taskId}-plan-0-state`]).toContain('"agent":"one"');
});

it("a plan that was refused is taken back, and leaves nothing in the next one's text (S0.6)", async () => {
  const model = new ScriptedModel([
    { calls: [plan("p", { id: "1", agent: "nobody" })] },
    { calls: [plan("p", { id: "1", agent: "one" })] },
  ]);
  const supervised = await Supervised.start({ model, agents: [{ name: "one", executor: says("one") }] });
  const events = await supervised.ask("go");
  const streamed = events.flatMap((event) =>
    "artifactUpdate" in event && event.artifactUpdate.artifact.name === "execution_plan_streaming"
      ? [event.artifactUpdate.artifact]
      : [],
  );
  const last = streamed.filter(({ artifactId }) => artifactId === streamed.at(-1)?.artifactId);
  const text = last.flatMap(({ parts }) => parts.map((part) => part.text)).join("");
  expect(text).toBe(texts(events).execution_plan_update);
  const refused = streamed.findLast(({ artifactId }) => artifactId === streamed[0]?.artifactId);
  expect(refused?.parts).toEqual([{ text: "" }]);
});

it("cancel waits for every agent that was called in one turn, and each acknowledgement is recorded (+2)", async () => {
  const journal = openMemoryJournal({ projections: taskTables });
  const waits = {
    async execute({ signal }: ExecutionContext) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return undefined;
    },
  };
  const names = ["one", "two", "three"];
  const model = new ScriptedModel([{ calls: names.map((name) => call(name, name)) }]);
  const agents = names.map((name) => ({ name, executor: waits }));
  const supervised = await Supervised.start({ model, agents, journal });
  let id = "";
  let started = 0;
  for await (const { event } of supervised.stream("go")) {
    if ("task" in event) id = event.task.id;
    if (phases([event])[0] !== "tool_notification_start" || ++started < 3) continue;
    // It takes a while to see that nobody is there to acknowledge.
    await supervised.agents.get("three")?.stop();
    void supervised.client.cancel({ id });
  }
  await supervised.agent.engine.idle();
  const acknowledged = (await notesOf(journal, id)).flatMap(({ delegation }) =>
    delegation?.canceled ? [delegation.id] : [],
  );
  expect(acknowledged.sort()).toEqual(["one", "three", "two"]);
});

it("cancel begins nothing that has not begun (+2)", async () => {
  const journal = openMemoryJournal({ projections: taskTables });
  const heard: string[] = [];
  const waits = (name: string) => ({
    async execute({ signal }: ExecutionContext) {
      heard.push(name);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return undefined;
    },
  });
  const names = ["one", "two"];
  const model = new ScriptedModel([{ calls: names.map((name) => call(name, name)) }]);
  const agents = names.map((name) => ({ name, executor: waits(name) }));
  const supervised = await Supervised.start({ model, agents, journal, limits: { parallel: 1 } });
  let id = "";
  for await (const { event } of supervised.stream("go")) {
    if ("task" in event) id = event.task.id;
    if (phases([event])[0] === "tool_notification_start") void supervised.client.cancel({ id });
  }
  await supervised.agent.engine.idle();
  const begun = (await notesOf(journal, id)).flatMap(({ delegation }) =>
    delegation?.began ? [delegation.id] : [],
  );
  expect([begun, heard.includes("two")]).toEqual([["one"], false]);
});

describe("a budget of calls at once (+5)", () => {
  const withFanOut = async (fanOut: number) => {
    let atOnce = 0;
    let most = 0;
    const counts = {
      async execute(context: ExecutionContext) {
        most = Math.max(most, ++atOnce);
        await new Promise((resolve) => setTimeout(resolve, 20));
        atOnce--;
        await context.artifact({ name: "current_result" }).close([{ text: "counted" }]);
        return undefined;
      },
    };
    const names = ["one", "two", "three"];
    const model = new ScriptedModel([{ calls: names.map((name) => call(name, name)) }, { text: ["Done."] }]);
    const agents = names.map((name) => ({ name, executor: counts }));
    const supervised = await Supervised.start({ model, agents });
    const events = await supervised.ask("go", { metadata: withMember(undefined, budget, { fanOut }) });
    return { most, last: phases(events).at(-1) };
  };

  it("holds for agents that are called in one turn", async () => {
    expect(await withFanOut(1)).toEqual({ most: 1, last: "completed" });
  });

  it("of zero does not hang", async () => {
    expect(await withFanOut(0)).toEqual({ most: 0, last: "completed" });
  });
});
