import type { Json } from "../../protocol/model.ts";
import { protoRoleName, protoStateName } from "./proto-enums.ts";

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
