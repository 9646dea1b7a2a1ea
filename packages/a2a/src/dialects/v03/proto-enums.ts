import type { Role, TaskState } from "../../protocol/model.ts";
import { isTaskState, legacyState } from "../legacy-states.ts";

/** The states in the order of their numbers, under the names that package a2a.v1 has for them. */
const STATE_NAMES = [
  "TASK_STATE_UNSPECIFIED",
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELLED",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_REJECTED",
  "TASK_STATE_AUTH_REQUIRED",
];

const ROLE_NAMES = ["ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"];

/** The number of a state, which is spelt with one more L there. */
export function protoState(state: TaskState): number {
  return STATE_NAMES.indexOf(state === "TASK_STATE_CANCELED" ? "TASK_STATE_CANCELLED" : state);
}

export function protoRole(role: Role): number {
  return ROLE_NAMES.indexOf(role);
}

export function protoStateName(number: number): string {
  return STATE_NAMES[number] ?? "UNRECOGNIZED";
}

export function protoRoleName(number: number): string {
  return ROLE_NAMES[number] ?? "UNRECOGNIZED";
}

/** A role as v0.3 writes it in JSON, from its name or number; what is neither stays as it is, to be refused. */
export function legacyRoleOf(role: unknown): unknown {
  const name = typeof role === "number" ? ROLE_NAMES[role] : role;
  if (name === "ROLE_UNSPECIFIED") return undefined;
  if (name === "ROLE_USER") return "user";
  return name === "ROLE_AGENT" ? "agent" : name;
}

/** A state as v0.3 writes it in JSON, from its name or number; what is neither stays as it is. */
export function legacyStateOf(state: unknown): unknown {
  const name = typeof state === "number" ? protoStateName(state) : (state ?? "TASK_STATE_UNSPECIFIED");
  if (name === "TASK_STATE_UNSPECIFIED" || name === "UNRECOGNIZED") return "unknown";
  const ours = name === "TASK_STATE_CANCELLED" ? "TASK_STATE_CANCELED" : name;
  return isTaskState(ours) ? legacyState(ours) : name;
}
