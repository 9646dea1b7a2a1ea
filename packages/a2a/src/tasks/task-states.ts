import type { TaskState } from "../protocol/model.ts";

/**
 *   submitted ──▶ working ◀──▶ input-required, auth-required
 *       │            │                  │
 *       └────────────┴──────────────────┴──▶ completed, failed, canceled, rejected   (for good)
 *
 * A row for every state, complete: the compiler refuses a table with one missing.
 */
const NEXT: Record<TaskState, readonly TaskState[]> = {
  TASK_STATE_SUBMITTED: [
    "TASK_STATE_WORKING",
    "TASK_STATE_FAILED",
    "TASK_STATE_CANCELED",
    "TASK_STATE_REJECTED",
  ],
  TASK_STATE_WORKING: [
    // A working task may report working again, with another message.
    "TASK_STATE_WORKING",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_AUTH_REQUIRED",
    "TASK_STATE_COMPLETED",
    "TASK_STATE_FAILED",
    "TASK_STATE_CANCELED",
    "TASK_STATE_REJECTED",
  ],
  TASK_STATE_INPUT_REQUIRED: ["TASK_STATE_WORKING", "TASK_STATE_FAILED", "TASK_STATE_CANCELED"],
  TASK_STATE_AUTH_REQUIRED: ["TASK_STATE_WORKING", "TASK_STATE_FAILED", "TASK_STATE_CANCELED"],
  TASK_STATE_COMPLETED: [],
  TASK_STATE_FAILED: [],
  TASK_STATE_CANCELED: [],
  TASK_STATE_REJECTED: [],
};

export const ALL_TASK_STATES = Object.keys(NEXT) as TaskState[];

export function mayMove(from: TaskState, to: TaskState): boolean {
  return NEXT[from].includes(to);
}

/** A terminal state never changes. */
export function isTerminal(state: TaskState): boolean {
  return NEXT[state].length === 0;
}

/** The task waits for its caller. */
export function isInterrupted(state: TaskState): boolean {
  return state === "TASK_STATE_INPUT_REQUIRED" || state === "TASK_STATE_AUTH_REQUIRED";
}

/** The task does not change without input: callers that wait for it can stop waiting. */
export function isSettled(state: TaskState): boolean {
  return isTerminal(state) || isInterrupted(state);
}
