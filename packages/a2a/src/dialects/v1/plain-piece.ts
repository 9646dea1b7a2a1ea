import { isObject, type StreamResponse } from "../../protocol/model.ts";

type Members = ReadonlyMap<string, (value: unknown) => boolean>;

const isText = (value: unknown) => typeof value === "string" && value !== "";
const isBoolean = (value: unknown) => typeof value === "boolean";

const PART: Members = new Map([["text", (value) => typeof value === "string"]]);

const ARTIFACT: Members = new Map([
  ["artifactId", isText],
  ["parts", (value) => Array.isArray(value) && value.length === 1 && consistsOf(PART, value[0], ["text"])],
  ["name", isText],
  ["description", isText],
  ["metadata", isObject],
]);

const UPDATE: Members = new Map([
  ["taskId", isText],
  ["contextId", isText],
  ["artifact", (value) => consistsOf(ARTIFACT, value, ["artifactId", "parts"])],
  ["append", isBoolean],
  ["lastChunk", isBoolean],
  ["metadata", isObject],
]);

const EVENT: Members = new Map([
  ["artifactUpdate", (value) => consistsOf(UPDATE, value, ["taskId", "contextId", "artifact"])],
]);

/** Returns an event that is a valid piece of plain text as it is: most are, and a schema costs many times as much. */
export function plainPiece(event: unknown): StreamResponse | undefined {
  return consistsOf(EVENT, event, ["artifactUpdate"]) ? (event as StreamResponse) : undefined;
}

function consistsOf(members: Members, value: unknown, required: readonly string[]): boolean {
  if (!isObject(value)) return false;
  for (const name of Object.keys(value)) if (!members.get(name)?.(value[name])) return false;
  for (const name of required) if (!Object.hasOwn(value, name)) return false;
  return true;
}
