import { describe, expect, it } from "vitest";
import type { Plan } from "./plan.ts";
import { runPlan, type StepEnd } from "./plan-run.ts";
import { ControlledSteps } from "./testing/controlled-steps.ts";
import { step } from "./testing/plan-graphs.ts";

const diamond: Plan = { steps: [step("a"), step("b", ["a"]), step("c", ["a"]), step("d", ["b", "c"])] };
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("steps that do not depend on each other", () => {
  it("run at the same time, and one that waits for a person holds up only what depends on it (+6)", async () => {
    const steps = new ControlledSteps();
    const running = runPlan(
      { steps: [...diamond.steps, step("e", ["c"])] },
      { ...steps.options, parallel: 2 },
    );
    expect(steps.begun).toEqual(["a"]);
    steps.end("a", "completed");
    await settled();
    expect(steps.begun).toEqual(["a", "b", "c"]);
    steps.end("b", "waiting");
    steps.end("c", "completed");
    steps.end("e", "completed");
    expect([...(await running)]).toEqual([
      ["a", { state: "completed", text: "a completed" }],
      ["b", { state: "waiting", text: "b waiting" }],
      ["c", { state: "completed", text: "c completed" }],
      ["d", { state: "pending", text: "" }],
      ["e", { state: "completed", text: "e completed" }],
    ]);
    expect(steps.states.at(-1)).toBe("completed waiting completed pending completed");
  });

  it("are reported in order, one change at a time (+6)", async () => {
    const steps = new ControlledSteps();
    const running = runPlan(diamond, steps.options);
    for (const id of ["a", "b", "c", "d"]) {
      steps.end(id, id === "b" ? "failed" : "completed");
      await settled();
    }
    const { d } = Object.fromEntries(await running);
    expect(d).toEqual({ state: "skipped", text: 'Skipped, because step "b" failed.' });
    expect(steps.states).toEqual([
      "pending pending pending pending",
      "working pending pending pending",
      "completed pending pending pending",
      "completed working pending pending",
      "completed working working pending",
      "completed failed working pending",
      "completed failed working skipped",
      "completed failed completed skipped",
    ]);
  });
});

describe("a resumed run", () => {
  it("runs the waiting step again, none that had ended, and passes on their results (+6)", async () => {
    const steps = new ControlledSteps();
    const done = new Map<string, StepEnd>([
      ["a", { state: "completed", text: "a before" }],
      ["b", { state: "waiting", text: "Which one?" }],
      ["c", { state: "completed", text: "c before" }],
    ]);
    const given: string[] = [];
    const running = runPlan(diamond, {
      ...steps.options,
      done,
      run: (step, results) => {
        given.push(`${step.id}: ${results.map(({ text }) => text).join(", ")}`);
        return steps.options.run(step, results);
      },
    });
    steps.end("b", "completed");
    steps.end("d", "completed");
    expect([...(await running).values()].map(({ text }) => text)).toEqual([
      "a before",
      "b completed",
      "c before",
      "d completed",
    ]);
    expect(given).toEqual(["b: a before", "d: b completed, c before"]);
    expect(steps.states[0]).toBe("completed pending completed pending");
  });
});

describe("a stopped run", () => {
  it("starts nothing more, and leaves the rest pending", async () => {
    const steps = new ControlledSteps();
    const stop = new AbortController();
    const running = runPlan(diamond, { ...steps.options, signal: stop.signal });
    stop.abort();
    steps.end("a", "completed");
    expect([...(await running).values()].map(({ state }) => state).join(" ")).toBe(
      "completed pending pending pending",
    );
    expect(steps.begun).toEqual(["a"]);
  });

  it("rejects with a step's error, once the running steps have ended", async () => {
    const steps = new ControlledSteps();
    const lost = new Error("the lease was lost");
    let over = false;
    const running = runPlan(diamond, steps.options).finally(() => {
      over = true;
    });
    steps.end("a", "completed");
    steps.fail("b", lost);
    await settled();
    expect(over).toBe(false);
    steps.end("c", "completed");
    await expect(running).rejects.toBe(lost);
    expect(steps.begun).toEqual(["a", "b", "c"]);
  });
});
