import { z } from "zod";
import type { Role, TaskState } from "../protocol/model.ts";

export const legacyRoleName = z
  .enum(["user", "agent"])
  .transform((name): Role => (name === "user" ? "ROLE_USER" : "ROLE_AGENT"));

/** A state by its name before v1.0; "unknown" comes out as undefined. */
export const legacyStateName = z.string().transform((name, context) => {
  const state = stateOfLegacy(name);
  if (state !== false) return state;
  context.addIssue({ code: "custom", message: "must be a state such as working" });
  return z.NEVER;
});

/** The states as v0.3 writes them, and v0.1 those of them that it has. */
const NAMES: Readonly<Record<TaskState, string>> = {
  TASK_STATE_SUBMITTED: "submitted",
  TASK_STATE_WORKING: "working",
  TASK_STATE_INPUT_REQUIRED: "input-required",
  TASK_STATE_AUTH_REQUIRED: "auth-required",
  TASK_STATE_COMPLETED: "completed",
  TASK_STATE_FAILED: "failed",
  TASK_STATE_CANCELED: "canceled",
  TASK_STATE_REJECTED: "rejected",
};

/** States that are newer than v0.1, and the nearest one that it knows. */
const NEAREST_IN_V01: Partial<Readonly<Record<TaskState, TaskState>>> = {
  TASK_STATE_AUTH_REQUIRED: "TASK_STATE_INPUT_REQUIRED",
  TASK_STATE_REJECTED: "TASK_STATE_FAILED",
};

const STATES = new Map(Object.entries(NAMES).map(([state, name]) => [name, state as TaskState]));

/** Whether this is one of our states. */
export function isTaskState(value: unknown): value is TaskState {
  return typeof value === "string" && Object.hasOwn(NAMES, value);
}

/** The name of a state in v0.3. */
export function legacyState(state: TaskState): string {
  return NAMES[state];
}

/** The nearest state that v0.1 has. */
export function nearestInV01(state: TaskState): TaskState {
  return NEAREST_IN_V01[state] ?? state;
}

/** The state of this name: undefined for "unknown", false when there is no such name. */
function stateOfLegacy(name: string): TaskState | undefined | false {
  return name === "unknown" ? undefined : (STATES.get(name) ?? false);
}

/** Whether the stream ends with this state, which older dialects say as `final`. */
export function endsStream(state: TaskState): boolean {
  return state !== "TASK_STATE_SUBMITTED" && state !== "TASK_STATE_WORKING";
}

/** The name of a role before v1.0. */
export function legacyRole(role: Role): "user" | "agent" {
  return role === "ROLE_USER" ? "user" : "agent";
}
