import { describe, expect, it } from "vitest";
import type { TaskState } from "../protocol/model.ts";
import { ALL_TASK_STATES, isInterrupted, isSettled, isTerminal, mayMove } from "./task-states.ts";

/** The drawing of the second seed, with the moves that newer dialects add: S1.11–14. */
const DRAWN = [
  "submitted → working",
  "submitted → failed",
  "submitted → canceled",
  "submitted → rejected",
  "working → working",
  "working → input-required",
  "working → auth-required",
  "working → completed",
  "working → failed",
  "working → canceled",
  "working → rejected",
  "input-required → working",
  "input-required → canceled",
  "input-required → failed",
  "auth-required → working",
  "auth-required → canceled",
  "auth-required → failed",
];

const drawn = (state: TaskState) => state.slice("TASK_STATE_".length).toLowerCase().replace("_", "-");

describe("task states (S1.10–14)", () => {
  it("allow exactly the transitions of the diagram, out of all pairs", () => {
    const allowed = ALL_TASK_STATES.flatMap((from) =>
      ALL_TASK_STATES.filter((to) => mayMove(from, to)).map((to) => `${drawn(from)} → ${drawn(to)}`),
    );
    expect(allowed.sort()).toEqual(DRAWN.toSorted());
  });

  it("are terminal if they have no transitions, and settled if nothing happens without input", () => {
    expect(ALL_TASK_STATES.filter(isTerminal).map(drawn)).toEqual([
      "completed",
      "failed",
      "canceled",
      "rejected",
    ]);
    expect(ALL_TASK_STATES.filter(isInterrupted).map(drawn)).toEqual(["input-required", "auth-required"]);
    expect(ALL_TASK_STATES.filter((state) => !isSettled(state)).map(drawn)).toEqual(["submitted", "working"]);
  });
});
