import type { Json, Role, TaskState } from "../../protocol/model.ts";
import { isTaskState, legacyRole, legacyState } from "../legacy-states.ts";
import { ROLES_BY_NUMBER, STATES_BY_NUMBER } from "../v1/content.ts";

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
  if (name === "state" && typeof value === "number") return stateName(value);
  if (name === "role" && typeof value === "number") return roleName(value);
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

/** The names of states by number; package a2a.v1 spells one with another L. */
const STATE_NAMES = STATES_BY_NUMBER.map(
  (state) => state?.replace("CANCELED", "CANCELLED") ?? "TASK_STATE_UNSPECIFIED",
);

export function protoState(state: TaskState): number {
  return STATES_BY_NUMBER.indexOf(state);
}

export function protoRole(role: Role): number {
  return ROLES_BY_NUMBER.indexOf(role);
}

/** A role as v0.3 writes it in JSON, from its name or number; what is neither stays as it is, to be refused. */
export function legacyRoleOf(role: unknown): unknown {
  const name = typeof role === "number" ? ROLES_BY_NUMBER[role] : role;
  if (name === "ROLE_UNSPECIFIED") return undefined;
  return name === "ROLE_USER" || name === "ROLE_AGENT" ? legacyRole(name) : name;
}

/** A state as v0.3 writes it in JSON, from its name or number; what is neither stays as it is. */
export function legacyStateOf(state: unknown): unknown {
  const name = typeof state === "number" ? stateName(state) : (state ?? "TASK_STATE_UNSPECIFIED");
  if (name === "TASK_STATE_UNSPECIFIED" || name === "UNRECOGNIZED") return "unknown";
  const ours = name === "TASK_STATE_CANCELLED" ? "TASK_STATE_CANCELED" : name;
  return isTaskState(ours) ? legacyState(ours) : name;
}

function stateName(number: number): string {
  return STATE_NAMES[number] ?? "UNRECOGNIZED";
}

function roleName(number: number): string {
  return number === 0 ? "ROLE_UNSPECIFIED" : (ROLES_BY_NUMBER[number] ?? "UNRECOGNIZED");
}
