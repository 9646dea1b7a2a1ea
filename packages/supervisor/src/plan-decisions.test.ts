import {
  type ExecutionContext,
  planApproval,
  planDecision,
  type StreamResponse,
  withMember,
} from "@parley/a2a";
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
const until = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener("abort", resolve));
const taskIn = (events: readonly StreamResponse[]) =>
  events.flatMap((event) => ("task" in event ? [event.task.id] : []))[0] ?? "";
const outcomeShown = (model: ScriptedModel) => JSON.stringify(model.requests.at(-1)?.messages.at(-1));

const two = () =>
  new ScriptedModel([
    { calls: [plan("p", { id: "a", agent: "one" }, { id: "b", agent: "two" })] },
    { text: ["Done."] },
  ]);

describe("a plan that waits for approval (+6)", () => {
  const asked = async (answer: string) => {
    const model = two();
    const agents = [
      { name: "one", executor: says("first") },
      { name: "two", executor: says("second") },
    ];
    const supervised = await Supervised.start({ model, agents });
    const metadata = withMember(undefined, planApproval, { required: true });
    const first = await supervised.ask("go", { metadata });
    expect(phases(first).at(-1)).toMatch(/^input_required: Shall I carry out this plan/);
    expect(phases(first).join()).not.toContain("tool_notification_start");
    const second = await supervised.ask(answer, { taskId: taskIn(first) });
    return { model, second };
  };

  it("runs after a yes", async () => {
    const { model, second } = await asked("yes");
    expect(texts(second).partial_result).toBe("Done.");
    expect(outcomeShown(model)).toContain("second");
  });

  it("skips the named steps", async () => {
    const { model } = await asked("yes, but skip 2");
    expect(outcomeShown(model)).toContain("first");
    expect(outcomeShown(model)).toContain("The user skipped it.");
    expect(outcomeShown(model)).not.toContain("second");
  });

  it("does not run after a no, and the model is told", async () => {
    const { model } = await asked("no");
    expect(outcomeShown(model)).toContain("The user does not want this plan.");
  });
});

it("a step that is skipped while it runs is stopped at its agent, and one that waits does not begin (+6)", async () => {
  let stopped = false;
  const model = new ScriptedModel([
    {
      calls: [
        plan(
          "p",
          { id: "a", agent: "slow" },
          { id: "b", agent: "two", dependencies: ["a"] },
          { id: "c", agent: "three" },
        ),
      ],
    },
    { text: ["Done."] },
  ]);
  const gate = Promise.withResolvers<void>();
  const supervised = await Supervised.start({
    model,
    agents: [
      {
        name: "slow",
        executor: {
          async execute({ signal }) {
            await until(signal);
            stopped = true;
            return undefined;
          },
        },
      },
      { name: "two", executor: says("never") },
      {
        name: "three",
        executor: {
          async execute(context) {
            await gate.promise;
            await context.artifact({ name: "current_result" }).close([{ text: "third" }]);
            return undefined;
          },
        },
      },
    ],
  });
  const seen: StreamResponse[] = [];
  let told = false;
  for await (const { event } of supervised.stream("go")) {
    seen.push(event);
    const working = texts(seen).execution_plan_state?.match(/"working"/g)?.length === 2;
    if (working && !told) {
      told = true;
      const metadata = withMember(undefined, planDecision, { skip: ["a"] });
      void supervised.ask("skip the first", { taskId: taskIn(seen), metadata });
    }
    if (texts(seen).execution_plan_state?.includes('"skipped"')) gate.resolve();
  }
  expect(phases(seen).at(-1)).toBe("completed");
  expect(stopped).toBe(true);
  expect(outcomeShown(model)).toContain("third");
  expect(outcomeShown(model)).not.toContain("never");
});
