import { type PlanState, planState } from "@parley/a2a";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Plan } from "./plan.ts";
import { type PlanRunOptions, runPlan, type StepEnd, type StepOutcome } from "./plan-run.ts";
import { plans } from "./testing/plan-graphs.ts";

const NONE: ReadonlyMap<string, StepEnd> = new Map();
const completed = (text: string): StepEnd => ({ state: "completed", text });

const ends = fc
  .constantFrom<StepEnd["state"][]>("completed", "completed", "completed", "failed", "canceled", "waiting")
  .map((state): StepEnd => ({ state, text: state }));

/** What each step comes to, by its own end and by what it depends on. */
function expected({ steps }: Plan, endOf: (id: string) => StepEnd): Map<string, StepOutcome["state"]> {
  const states = new Map<string, StepOutcome["state"]>();
  const stateOf = (id: string): StepOutcome["state"] => {
    const before = (steps.find((step) => step.id === id)?.dependencies ?? []).map(stateOf);
    if (before.some((state) => ["failed", "canceled", "skipped"].includes(state))) return "skipped";
    return before.every((state) => state === "completed") ? endOf(id).state : "pending";
  };
  for (const { id } of steps) states.set(id, stateOf(id));
  return states;
}

/** The one step that differs between two states of a plan, and how. */
function change(before: PlanState, after: PlanState): string[] {
  return after.steps.flatMap(({ id, state }, index) => {
    const old = before.steps[index];
    return old?.id === id && old.state === state ? [] : [`${old?.state} → ${state}`];
  });
}
const legal = /^(pending → (working|skipped)|working → (completed|failed|canceled|waiting))$/;

describe("runPlan", () => {
  it("starts each step once, after its dependencies, at most so many at a time, and reports each change (+6)", async () => {
    await fc.assert(
      fc.asyncProperty(
        plans,
        fc.array(ends, { minLength: 10, maxLength: 10 }),
        fc.integer({ min: 1, max: 4 }),
        fc.scheduler(),
        async (plan, chosen, parallel, scheduler) => {
          const endOf = (id: string) => chosen[Number(id.slice(1))] ?? completed("");
          const states: PlanState[] = [];
          const begun: string[] = [];
          const ended = new Set<string>();
          let [now, most] = [0, 0];
          const running = runPlan(plan, {
            parallel,
            done: NONE,
            changed: (state) => states.push(state),
            run: async ({ id, dependencies }, results) => {
              begun.push(id);
              most = Math.max(most, ++now);
              expect(dependencies.every((on) => ended.has(on))).toBe(true);
              expect(results.map(({ step }) => step.id)).toEqual(dependencies);
              await scheduler.schedule(Promise.resolve(), id);
              now--;
              if (endOf(id).state === "completed") ended.add(id);
              return endOf(id);
            },
          });
          await scheduler.waitFor(running);
          const outcomes = await running;

          const reached = expected(plan, endOf);
          expect(new Map([...outcomes].map(([id, { state }]) => [id, state]))).toEqual(reached);
          expect([...outcomes.keys()]).toEqual(plan.steps.map(({ id }) => id));
          const ran = [...reached].filter(([, state]) => state !== "skipped" && state !== "pending");
          expect(begun.toSorted()).toEqual(ran.map(([id]) => id).toSorted());
          expect(most).toBeLessThanOrEqual(parallel);
          for (const [index, state] of states.slice(1).entries()) {
            const changes = change(states[index] as PlanState, state);
            expect(changes).toEqual([expect.stringMatching(legal)]);
          }
          for (const state of states) expect(planState.schema.parse(state)).toEqual(state);
          expect(states[0]?.steps.every(({ state }) => state === "pending")).toBe(true);
          expect(states.at(-1)?.steps.map(({ state }) => state)).toEqual([...reached.values()]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("resumes where an earlier run was interrupted, at whatever step, with the same result (+6)", async () => {
    await fc.assert(
      fc.asyncProperty(
        plans,
        fc.array(ends, { minLength: 10, maxLength: 10 }),
        fc.nat(10),
        async (plan, chosen, cut) => {
          const endOf = (id: string) => chosen[Number(id.slice(1))] ?? completed("");
          const done = new Map<string, StepEnd>();
          const stop = new AbortController();
          const run: PlanRunOptions["run"] = async ({ id }) => {
            expect(done.get(id)?.state ?? "waiting").toBe("waiting");
            done.set(id, endOf(id));
            if (done.size >= cut) stop.abort();
            return endOf(id);
          };
          const rest = { parallel: 2, changed: () => undefined };
          const first = await runPlan(plan, { ...rest, run, done: NONE, signal: stop.signal });
          const second = await runPlan(plan, { ...rest, run, done: new Map(done) });
          expect(new Map([...second].map(([id, { state }]) => [id, state]))).toEqual(expected(plan, endOf));
          for (const [id, { state }] of first)
            if (state !== "pending") expect(second.get(id)?.state).toBe(state);
        },
      ),
    );
  });
});
