import {
  approvalAnswer,
  approvalRequest,
  type ExecutionContext,
  memberIn,
  memberPart,
  planDecision,
  provenance,
  type StreamResponse,
  taskTables,
  textOf,
  withMember,
} from "@parley/a2a";
import { openMemoryJournal } from "@parley/journal";
import type { ModelMessage } from "@parley/models";
import { describe, expect, it } from "vitest";
import { plan, ScriptedModel } from "./testing/scripted-model.ts";
import { phases, texts } from "./testing/seen.ts";
import { Supervised } from "./testing/supervised.ts";

/** Asks once the gate is open, and keeps what it hears and whether it was canceled. */
class AskingAgent {
  readonly heard: string[] = [];
  readonly gate = Promise.withResolvers<void>();
  readonly name: string;

  constructor(name: string, isOpen = true) {
    this.name = name;
    if (isOpen) this.gate.resolve();
  }

  get executor() {
    return { execute: (context: ExecutionContext) => this.#execute(context) };
  }

  async #execute(context: ExecutionContext) {
    this.heard.push(textOf(context.message));
    const result = context.artifact({ artifactId: `${context.taskId}-r`, name: "current_result" });
    if ((context.task.history?.length ?? 0) < 2) {
      await this.gate.promise;
      return { state: "input-required" as const, message: `${this.name}?` };
    }
    await result.close([{ text: `You said ${textOf(context.message)}.` }]);
    return undefined;
  }
}

/** Ends when the gate is open. */
const slow = (name: string, gate: Promise<void>) => ({
  name,
  executor: {
    async execute(context: ExecutionContext) {
      await Promise.race([gate, until(context.signal)]);
      await context.artifact({ name: "current_result" }).close([{ text: `${name} is done` }]);
      return undefined;
    },
  },
});
const until = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
const taskIn = (events: readonly StreamResponse[]) =>
  events.flatMap((event) => ("task" in event ? [event.task.id] : []))[0] ?? "";
const shown = (model: ScriptedModel) => JSON.stringify(model.requests.at(-1)?.messages ?? []);
const said = (messages: readonly ModelMessage[]) =>
  messages.flatMap((message) => (message.role === "user" ? [message.text] : []));

/** Calls the plan first, and then only speaks. */
const plansOnce = (...steps: Parameters<typeof plan>[1][]) =>
  new ScriptedModel((messages) =>
    messages.some(({ role }) => role === "tool") ? { text: ["Done."] } : { calls: [plan("p", ...steps)] },
  );

/** Follows a stream, and does each thing once, when what was seen so far says so. */
async function follow(
  stream: AsyncIterable<{ event: StreamResponse }>,
  ...reactions: readonly [when: (words: string) => boolean, act: (taskId: string) => unknown][]
): Promise<StreamResponse[]> {
  const seen: StreamResponse[] = [];
  const open = [...reactions];
  for await (const { event } of stream) {
    seen.push(event);
    const [next] = open;
    if (next?.[0](phases(seen).join("\n"))) {
      open.shift();
      void next[1](taskIn(seen));
    }
  }
  return seen;
}

/** The task's messages of the user's, once there are so many. */
async function messagesOf(supervised: Supervised, taskId: string, count: number): Promise<void> {
  const users = async () =>
    (await supervised.client.get({ id: taskId })).history?.filter(({ role }) => role === "ROLE_USER").length;
  await expect.poll(users).toBe(count);
}

describe("a message while the agents work", () => {
  it("does not answer a later question, and reaches the model (S1.13)", async () => {
    const shy = new AskingAgent("shy", false);
    const model = plansOnce({ id: "1", agent: "shy" });
    const supervised = await Supervised.start({ model, agents: [shy] });
    const first = await follow(supervised.stream("go"), [
      (words) => words.includes("tool_notification_start"),
      async (taskId) => {
        void supervised.ask("yes, thank you", { taskId });
        await messagesOf(supervised, taskId, 2);
        shy.gate.resolve();
      },
    ]);
    expect(phases(first).at(-1)).toBe("input_required: shy?");
    const second = await supervised.ask("no", { taskId: taskIn(first) });
    expect(phases(second).at(-1)).toBe("completed");
    expect(shy.heard).toEqual(["work 1", "no"]);
    expect(said(model.requests.at(-1)?.messages ?? [])).toEqual(["go", "yes, thank you"]);
  });

  it("is taken once and in order by the execution that resumes the task (invariant 6)", async () => {
    const shy = new AskingAgent("shy", false);
    const gate = Promise.withResolvers<void>();
    const model = plansOnce({ id: "1", agent: "shy" }, { id: "2", agent: "slow" });
    const journal = openMemoryJournal({ projections: taskTables });
    const before = await Supervised.start({ model, agents: [shy, slow("slow", gate.promise)], journal });
    let taskId = "";
    for await (const { event } of before.stream("go")) {
      const [phase = ""] = phases([event]);
      taskId ||= taskIn([event]);
      if (texts([event]).execution_plan_state?.match(/"working"/g)?.length === 2) {
        void before.ask("note this", { taskId });
        void messagesOf(before, taskId, 2).then(() => shy.gate.resolve());
      }
      if (phase.startsWith("working: ❓")) void before.ask("the red", { taskId });
      if (Object.values(texts([event])).some((text) => text.includes("You said"))) break;
    }
    await before.agent.engine.suspend();
    const agents = [...before.agents.values()];
    const after = await Supervised.start({ model, agents, journal });
    gate.resolve();
    await after.agent.engine.idle();
    expect(shy.heard).toEqual(["work 1", "the red"]);
    expect(said(model.requests.at(-1)?.messages ?? [])).toEqual(["go", "note this"]);
  });
});

it("an answer without a name goes to the question that is shown (S1.13)", async () => {
  const first = new AskingAgent("first", false);
  const second = new AskingAgent("second");
  const model = plansOnce({ id: "1", agent: "first" }, { id: "2", agent: "second" });
  const supervised = await Supervised.start({ model, agents: [first, second] });
  const asked = await follow(supervised.stream("go"), [
    (words) => words.includes("second?"),
    () => first.gate.resolve(),
  ]);
  expect(phases(asked).at(-1)).toBe("input_required: second?");
  const last = asked.at(-1);
  const metadata = last && "statusUpdate" in last ? last.statusUpdate.metadata : undefined;
  expect(memberIn(metadata, provenance).value).toMatchObject({ agent: "second", callId: "p.2" });
  const taskId = taskIn(asked);
  const again = await supervised.ask("for the second", { taskId });
  expect([second.heard.at(-1), phases(again).at(-1)]).toEqual(["for the second", "input_required: first?"]);
  await supervised.ask("for the first", { taskId });
  expect(first.heard.at(-1)).toBe("for the first");
});

it("an approval goes to whom it names, also where two agents give their requests the same id (S1.13)", async () => {
  const approvals = (name: string, heard: string[]) => ({
    name,
    executor: {
      async execute(context: ExecutionContext) {
        heard.push(textOf(context.message));
        if ((context.task.history?.length ?? 0) > 1) return undefined;
        const request = { id: "call_1", tool: name, arguments: {}, argumentsHash: `hash of ${name}` };
        const message = [{ text: `${name}?` }, memberPart(approvalRequest, request)];
        return { state: "input-required" as const, message };
      },
    },
  });
  const heard: Record<"one" | "two", string[]> = { one: [], two: [] };
  const model = plansOnce({ id: "1", agent: "one" }, { id: "2", agent: "two" });
  const agents = [approvals("one", heard.one), approvals("two", heard.two)];
  const supervised = await Supervised.start({ model, agents });
  const taskId = taskIn(await supervised.ask("go"));
  const answer = { id: "call_1", decision: "approved" as const, tool: "two", argumentsHash: "hash of two" };
  const metadata = withMember(undefined, approvalAnswer, answer);
  await supervised.ask("yes to two", { taskId, metadata });
  expect(heard).toEqual({ one: ["work 1"], two: ["work 2", "yes to two"] });
});

it("an answer goes to the call that it names, also where two agents ask just the same", async () => {
  const heard: Record<"one" | "two", string[]> = { one: [], two: [] };
  const asking = (name: "one" | "two") => ({
    name,
    executor: {
      async execute(context: ExecutionContext) {
        heard[name].push(textOf(context.message));
        expect(memberIn(context.message.metadata, provenance).value).toBeUndefined();
        if ((context.task.history?.length ?? 0) > 1) return undefined;
        const request = { id: "call_1", tool: "delete", arguments: {}, argumentsHash: "h" };
        return { state: "input-required" as const, message: [memberPart(approvalRequest, request)] };
      },
    },
  });
  const model = plansOnce({ id: "1", agent: "one" }, { id: "2", agent: "two" });
  const supervised = await Supervised.start({ model, agents: [asking("one"), asking("two")] });
  const taskId = taskIn(await supervised.ask("go"));
  const answer = { id: "call_1", decision: "approved" as const, tool: "delete", argumentsHash: "h" };
  const about = withMember(undefined, provenance, { agent: "two", callId: "p.2", depth: 1 });
  await supervised.ask("yes to two", { taskId, metadata: withMember(about, approvalAnswer, answer) });
  expect(heard).toEqual({ one: ["work 1"], two: ["work 2", "yes to two"] });
});

describe("a step that is skipped (+6)", () => {
  const skip = (...steps: string[]) => withMember(undefined, planDecision, { skip: steps });

  it("does not begin after a question was answered, or a restart", async () => {
    const shy = new AskingAgent("shy", false);
    const never = new AskingAgent("never");
    const model = plansOnce({ id: "1", agent: "shy" }, { id: "2", agent: "never", dependencies: ["1"] });
    const supervised = await Supervised.start({ model, agents: [shy, never] });
    const first = await follow(supervised.stream("go"), [
      (words) => words.includes("tool_notification_start"),
      async (taskId) => {
        void supervised.ask("skip it", { taskId, metadata: skip("2") });
        await messagesOf(supervised, taskId, 2);
        shy.gate.resolve();
      },
    ]);
    const second = await supervised.ask("blue", { taskId: taskIn(first) });
    expect(phases(second).at(-1)).toBe("completed");
    expect([shy.heard, never.heard]).toEqual([["work 1", "blue"], []]);
  });

  it("while it asks is canceled at its agent, and its question is no more", async () => {
    const shy = new AskingAgent("shy");
    const gate = Promise.withResolvers<void>();
    const model = plansOnce({ id: "1", agent: "shy" }, { id: "2", agent: "slow" });
    const supervised = await Supervised.start({ model, agents: [shy, slow("slow", gate.promise)] });
    const seen = await follow(
      supervised.stream("go"),
      [
        (words) => words.includes("❓"),
        (taskId) => void supervised.ask("skip it", { taskId, metadata: skip("1") }),
      ],
      [(words) => words.includes("tool_notification_complete"), () => gate.resolve()],
    );
    expect(phases(seen).at(-1)).toBe("completed");
    expect(shown(model)).toContain("The user skipped it.");
    expect(await statesAt(supervised, "shy")).toEqual(["TASK_STATE_CANCELED"]);
  });

  it("when the whole task waits for its answer is canceled too, and the work goes on", async () => {
    const shy = new AskingAgent("shy");
    const model = plansOnce({ id: "1", agent: "shy" });
    const supervised = await Supervised.start({ model, agents: [shy] });
    const taskId = taskIn(await supervised.ask("go"));
    const seen = await supervised.ask("skip it", { taskId, metadata: skip("1") });
    expect(phases(seen).at(-1)).toBe("completed");
    expect(shy.heard).toEqual(["work 1"]);
    expect(await statesAt(supervised, "shy")).toEqual(["TASK_STATE_CANCELED"]);
  });
});

describe("cancel while an agent asks", () => {
  it("reaches it beside one that works (+2)", async () => {
    const shy = new AskingAgent("shy");
    const model = plansOnce({ id: "1", agent: "shy" }, { id: "2", agent: "slow" });
    const agents = [shy, slow("slow", new Promise(() => {}))];
    const supervised = await Supervised.start({ model, agents });
    const seen = await follow(supervised.stream("go"), [
      (words) => words.includes("❓"),
      (id) => supervised.client.cancel({ id }),
    ]);
    expect(phases(seen).at(-1)).toBe("canceled");
    await supervised.agent.engine.idle();
    expect(await statesAt(supervised, "shy")).toEqual(["TASK_STATE_CANCELED"]);
  });

  it("reaches it also when the whole task waits, and nothing follows the end (+2)", async () => {
    const shy = new AskingAgent("shy");
    const model = plansOnce({ id: "1", agent: "shy" }, { id: "2", agent: "later", dependencies: ["1"] });
    const later = new AskingAgent("later");
    const supervised = await Supervised.start({ model, agents: [shy, later] });
    const id = taskIn(await supervised.ask("go"));
    const { status } = await supervised.client.cancel({ id });
    expect(status.state).toBe("TASK_STATE_CANCELED");
    await supervised.agent.engine.idle();
    expect(await statesAt(supervised, "shy")).toEqual(["TASK_STATE_CANCELED"]);
    expect(later.heard).toEqual([]);
    expect((await supervised.client.get({ id })).status).toEqual(status);
  });
});

/** How the tasks of an agent stand. */
async function statesAt(supervised: Supervised, name: string): Promise<string[]> {
  const client = await supervised.agents.get(name)?.tasks.list({}, { owner: "local", dialect: "1.0" });
  return client?.tasks.map(({ status }) => status.state) ?? [];
}
