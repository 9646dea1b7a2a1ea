import type { RecordedCall } from "../sync/session-record.ts";
import { isDelegation } from "./work.ts";

/** A call in one line: what is done, and to what. */
export interface CallWords {
  readonly kind: "asked" | "used";
  readonly name: string;
  readonly target: string;
}

/** The arguments that describe best what a call acts on, best first. */
const TARGET_ARGUMENTS = [
  "request",
  "query",
  "path",
  "name",
  "expression",
  "url",
  "command",
  "pattern",
  "id",
];
const MAX_TARGET_LENGTH = 120;

export function callWords(call: RecordedCall): CallWords {
  const kind = isDelegation(call) ? "asked" : "used";
  return { kind, name: call.name.replaceAll("__", " · "), target: targetOf(call.arguments) };
}

/** A tool's own name, without the server in front: `files__write_file` is `write_file`. */
export function toolName(qualified: string): string {
  const at = qualified.indexOf("__");
  return at < 0 ? qualified : qualified.slice(at + 2);
}

/** How long a call took, or has taken so far where that is worth a word; one whose end was never told does not go on for ever. */
export function callDuration(
  { durationMs, startedAt, outcome }: RecordedCall,
  now: number,
  isOver: boolean,
): string {
  if (durationMs !== undefined) return durationText(durationMs);
  const elapsed = outcome === undefined && startedAt && !isOver ? now - Date.parse(startedAt) : 0;
  return elapsed >= 1_000 ? durationText(elapsed) : "";
}

export type CallState = "running" | "succeeded" | "failed" | "canceled" | "unknown";

/** A call whose end was never told, of something that is over, is not under way. */
export function callState({ outcome }: RecordedCall, isOver: boolean): CallState {
  if (outcome === undefined) return isOver ? "unknown" : "running";
  return outcome === "succeeded" || outcome === "failed" || outcome === "canceled" ? outcome : "unknown";
}

/** The argument that says best what a call acts on; empty where none does. */
export function targetOf(given: unknown): string {
  if (typeof given !== "object" || given === null) return "";
  const values = given as Readonly<Record<string, unknown>>;
  const name = TARGET_ARGUMENTS.find((each) => typeof values[each] === "string");
  const value = name ? values[name] : Object.values(values).find((each) => typeof each === "string");
  const text = typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim() : "";
  return text.length > MAX_TARGET_LENGTH ? `${text.slice(0, MAX_TARGET_LENGTH - 1)}…` : text;
}

/** A duration for people: 0.4 s, 14 s, 2 min 5 s. */
export function durationText(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
