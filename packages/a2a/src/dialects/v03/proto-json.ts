import type { Json, Role, TaskState } from "../../protocol/model.ts";
import { isTaskState, legacyState } from "../legacy-states.ts";

/** Members whose name in JSON is another one. */
const JSON_NAMES: Readonly<Record<string, string>> = {
  request: "message",
  update: "message",
  msg: "message",
};

const STRUCTS = new Set(["metadata", "data", "params", "header"]);

/** A message of package a2a.v1 as ProtoJSON: members that are empty are left out. */
export function protoJson(message: object): { [name: string]: Json } {
  const members: { [name: string]: Json } = {};
  for (const [name, value] of Object.entries(message)) {
    if (isOneof(value)) members[jsonName(value.$case)] = jsonOf(value.$case, value.value);
    else if (!isEmpty(value)) members[jsonName(name)] = STRUCTS.has(name) ? value : jsonOf(name, value);
  }
  return members;
}

function jsonOf(name: string, value: unknown): Json {
  if (Buffer.isBuffer(value)) return value.toString("base64");
  if (Array.isArray(value)) return value.map((item) => jsonOf(name, item));
  if (typeof value === "object" && value !== null) return protoJson(value);
  if (name === "state" && typeof value === "number") return protoStateName(value);
  if (name === "role" && typeof value === "number") return protoRoleName(value);
  return value as string | number | boolean;
}

function jsonName(name: string): string {
  return JSON_NAMES[name] ?? name;
}

function isEmpty(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}

function isOneof(value: unknown): value is { readonly $case: string; readonly value: unknown } {
  return typeof value === "object" && value !== null && "$case" in value;
}

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
