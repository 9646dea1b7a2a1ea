import { setTimeout as sleep } from "node:timers/promises";
import { type ExecutionContext, type StreamResponse, taskTables } from "@parley/a2a";
import { DiskFullError, openMemoryJournal, openSqliteJournal, type Projection } from "@parley/journal";
import type { Model } from "@parley/models";
import { testFolder } from "@parley/testing/test-folder.ts";
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

describe("a supervisor", () => {
  it("goes through the six phases in order, and the one agent's words are the answer (S0.4, S0.6–11, S0.15)", async () => {
    const model = new ScriptedModel([{ calls: [plan("p", { id: "1", agent: "argocd" })] }]);
    const supervised = await Supervised.start({
      model,
      agents: [{ name: "argocd", executor: says("Here", " is", " v3.1.8") }],
    });
    const events = await supervised.ask("show argocd version");
    expect(phases(events)).toEqual([
      "task",
      "working",
      "execution_plan_streaming",
      "execution_plan_update",
      "execution_plan_state",
      "tool_notification_start",
      "streaming_result",
      "tool_notification_complete",
      "execution_plan_state",
      "streaming_result",
      "partial_result",
      "completed",
    ]);
    const seen = texts(events);
    expect(seen.execution_plan_update).toBe("⟦**🎯 Execution Plan**\n\n1. Ask argocd — *argocd*\n⟧");
    expect([seen.streaming_result, seen.partial_result]).toEqual(["Here is v3.1.8", "Here is v3.1.8"]);
    expect(seen.tool_notification_start).toBe("🔧 Supervisor: Calling Agent Argocd...\n");
    expect(model.requests).toHaveLength(1);
    expect(appendViolations(events)).toEqual([]);
  });

  it("waits for an agent that says it is to be asked again later, as one does whose disk is full (invariants 7, 18)", async () => {
    let refusals = 8;
    const disk: Projection = {
      ...{ name: "disk", migrations: [], wants: () => refusals > 0, deleted: async () => {} },
      apply: async () => {
        refusals--;
        throw new DiskFullError("the test", undefined);
      },
    };
    const journal = openMemoryJournal({ projections: [...taskTables, disk] });
    const supervised = await Supervised.start({
      model: new ScriptedModel([
        { calls: [plan("p", { id: "1", agent: "files" })] },
        { text: ["It failed"] },
      ]),
      agents: [{ name: "files", executor: says("three ", "files"), journal }],
    });
    const events = await supervised.ask("count");
    expect(refusals).toBe(0);
    expect(texts(events).streaming_result).toBe("three files");
  });

  it("has branches run at the same time, each with an artifact of its own, and closes with a turn (S3.6–7)", async () => {
    const model = new ScriptedModel([
      { calls: [plan("p", { id: "1", agent: "git" }, { id: "2", agent: "files" })] },
      { text: ["Both ", "are fine."] },
    ]);
    const supervised = await Supervised.start({
      model,
      agents: [
        { name: "git", executor: says("clean") },
        { name: "files", executor: says("three ", "files") },
      ],
    });
    const events = await supervised.ask("check git and files simultaneously");
    const seen = texts(events);
    expect([seen.streaming_result, seen.partial_result]).toEqual(["Both are fine.", "Both are fine."]);
    expect(Object.values(texts(events, "artifactId"))).toEqual(
      expect.arrayContaining(["clean", "three files"]),
    );
    expect(appendViolations(events)).toEqual([]);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("three files");
  });
});

const runsUntilCanceled = (canceled: string[], name: string) => ({
  async execute(context: ExecutionContext) {
    await context.artifact({ name: "current_result" }).text("begun ");
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
    canceled.push(name);
    return undefined;
  },
});

const asks = (question: string) => ({
  async execute(context: ExecutionContext) {
    const result = context.artifact({ artifactId: `${context.taskId}-r`, name: "current_result" });
    if ((context.task.history?.length ?? 0) < 2) {
      await result.text("Let me see. ");
      return { state: "input-required" as const, message: question };
    }
    await result.text(`You said ${context.message.parts[0]?.text}.`);
    await result.close();
    return undefined;
  },
});

describe("people in the loop", () => {
  it("the question of the one agent is the task's, and the answer goes to just that agent's task (S1.13)", async () => {
    const model = new ScriptedModel([{ calls: [plan("p", { id: "1", agent: "shy" })] }]);
    const supervised = await Supervised.start({
      model,
      agents: [{ name: "shy", executor: asks("Which one?") }],
    });
    const first = await supervised.ask("go");
    expect(phases(first).slice(-3)).toEqual([
      "working: ❓ Agent Shy asks:\nWhich one?",
      "execution_plan_state",
      "input_required: Which one?",
    ]);
    const task = first.find((event) => "task" in event);
    const taskId = task && "task" in task ? task.task.id : "";
    const second = await supervised.ask("the blue", { taskId });
    expect(phases(second).at(-1)).toBe("completed");
    expect(texts(second).partial_result).toBe("Let me see. You said the blue.");
    expect(model.requests).toHaveLength(1);
  });

  it("others run on while one asks; an early answer is taken at once, and no model turn comes between", async () => {
    const gate = Promise.withResolvers<void>();
    const model = new ScriptedModel([
      { calls: [plan("p", { id: "1", agent: "shy" }, { id: "2", agent: "slow" })] },
      { text: ["Done."] },
    ]);
    const slow = {
      async execute(context: ExecutionContext) {
        await gate.promise;
        await context.artifact({ name: "current_result" }).close([{ text: "slow is done" }]);
        return undefined;
      },
    };
    const supervised = await Supervised.start({
      model,
      agents: [
        { name: "shy", executor: asks("Which one?") },
        { name: "slow", executor: slow },
      ],
    });
    const seen = [];
    for await (const { event } of supervised.stream("go")) {
      seen.push(event);
      if (phases([event])[0]?.startsWith("working: ❓")) {
        const taskId = "statusUpdate" in event ? event.statusUpdate.taskId : "";
        void supervised.ask("the red", { taskId });
      }
      if (Object.values(texts([event])).some((text) => text.includes("the red"))) gate.resolve();
    }
    expect(phases(seen).at(-1)).toBe("completed");
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("You said the red.");
    expect(phases(seen).some((phase) => phase.startsWith("input_required"))).toBe(false);
  });
});

describe("an answer that comes when the last other branch ends", () => {
  it("is acted on, whichever is first (S1.13)", async () => {
    let gate = Promise.withResolvers<void>();
    const model = new ScriptedModel([
      { calls: [plan("p", { id: "1", agent: "shy" }, { id: "2", agent: "slow" })] },
      { text: ["Done."] },
    ]);
    const slow = {
      async execute() {
        await gate.promise;
        return undefined;
      },
    };
    const agents = [
      { name: "shy", executor: asks("Which one?") },
      { name: "slow", executor: slow },
    ];
    const journal = await openSqliteJournal({ projections: taskTables, folder: await testFolder() });
    const supervised = await Supervised.start({ model, agents, journal });
    for (let milliseconds = 0; milliseconds < 16; milliseconds++) {
      gate = Promise.withResolvers();
      const answered = Promise.withResolvers<readonly StreamResponse[]>();
      for await (const { event } of supervised.stream("go")) {
        if (!phases([event])[0]?.startsWith("working: ❓")) continue;
        const taskId = "statusUpdate" in event ? event.statusUpdate.taskId : "";
        setTimeout(() => gate.resolve(), milliseconds);
        answered.resolve(supervised.ask("the red", { taskId }));
      }
      expect(phases(await answered.promise).at(-1)).toBe("completed");
    }
  });
});

describe("a resumed supervisor", () => {
  it("takes back half a plan if the model makes none this time (invariant 6, S0.6)", async () => {
    const journal = openMemoryJournal({ projections: taskTables });
    const agents = [{ name: "argocd", executor: says("never") }];
    const writesHalf: Model = {
      name: "test:half",
      async *turn(_, signal) {
        const text = '{"steps":[{"id":"1","title":"Ask argocd","agent":"argocd"';
        yield { type: "tool-input", id: "p", tool: "carry_out_plan", text };
        await sleep(60_000, undefined, { signal });
      },
    };
    const before = await Supervised.start({ model: writesHalf, agents, journal });
    let taskId = "";
    for await (const { event } of before.stream("go")) {
      if ("task" in event) taskId = event.task.id;
      if (phases([event])[0] === "execution_plan_streaming") break;
    }
    await before.agent.engine.suspend();
    const model = new ScriptedModel([{ text: ["No plan ", "is needed."] }]);
    const after = await Supervised.start({ model, agents, journal });
    await after.agent.engine.idle();
    const { artifacts = [] } = await after.client.get({ id: taskId });
    expect(artifacts.map(({ name, parts }) => [name, parts.map(({ text }) => text).join("")])).toEqual([
      ["execution_plan_streaming", ""],
      ["streaming_result", "No plan is needed."],
      ["partial_result", "No plan is needed."],
    ]);
  });
});

describe("cancel", () => {
  it("reaches every running sub-agent, and nothing follows the end (+2)", async () => {
    const canceled: string[] = [];
    const names = ["one", "two", "three"];
    const model = new ScriptedModel([
      { calls: [plan("p", ...names.map((agent, n) => ({ id: `${n}`, agent })))] },
    ]);
    const agents = names.map((name) => ({ name, executor: runsUntilCanceled(canceled, name) }));
    const supervised = await Supervised.start({ model, agents });
    const seen = [];
    let taskId = "";
    for await (const { event } of supervised.stream("go")) {
      seen.push(event);
      if ("task" in event) taskId = event.task.id;
      const begun = Object.values(texts(seen, "artifactId")).filter((text) => text === "begun ");
      if (begun.length === 3 && taskId) {
        const id = taskId;
        taskId = "";
        void supervised.client.cancel({ id });
      }
    }
    expect(phases(seen).at(-1)).toBe("canceled");
    await supervised.agent.engine.idle();
    expect(canceled.sort()).toEqual(["one", "three", "two"]);
  });
});

describe("faults", () => {
  it("falls back to another agent with a fitting skill when one cannot be reached (S4.27)", async () => {
    const model = new ScriptedModel([{ calls: [plan("p", { id: "1", agent: "first" })] }]);
    const supervised = await Supervised.start({
      model,
      agents: [
        { name: "first", executor: says("never"), skills: ["weather"] },
        { name: "second", executor: says("Sunny."), skills: ["weather"] },
      ],
    });
    await supervised.agents.get("first")?.stop();
    const events = await supervised.ask("go");
    expect(texts(events).partial_result).toBe("Sunny.");
    expect(phases(events).join()).toContain("Agent Second is asked instead");
  });

  it("tells the model and the user plainly when an agent fails, and takes back what it said", async () => {
    const fails = {
      async execute(context: ExecutionContext) {
        await context.artifact({ name: "current_result" }).text("half an ans");
        throw new Error("out of coffee\nand of tea");
      },
    };
    const model = new ScriptedModel([
      { calls: [plan("p", { id: "1", agent: "barista" })] },
      { text: ["Sorry."] },
    ]);
    const supervised = await Supervised.start({ model, agents: [{ name: "barista", executor: fails }] });
    const events = await supervised.ask("go");
    expect(texts(events).partial_result).toBe("Sorry.");
    expect(texts(events).tool_notification_complete).toMatch(
      /^❌ Supervisor: Agent Barista failed .*out of coffee/,
    );
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("out of coffee");
    // The sentence has the first line; whoever wants to know more finds all of it (+10).
    expect(JSON.stringify(events)).toContain(
      JSON.stringify({ result: "out of coffee\nand of tea" }).slice(1, -1),
    );
  });
});
