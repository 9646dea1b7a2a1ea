import type { RecordedCall } from "@parley/client";
import { isDelegation } from "./work.ts";

/** A call in one line: what is done, and to what. */
export interface CallWords {
  readonly kind: "asked" | "used";
  readonly name: string;
  readonly target: string;
}

/** Arguments that say best what a call is about, the best first. */
const TELLING = ["request", "query", "path", "name", "expression", "url", "command", "pattern", "id"];
const LONGEST = 120;

/** How a call is told of in one line. */
export function callWords(call: RecordedCall): CallWords {
  const kind = isDelegation(call) ? "asked" : "used";
  return { kind, name: call.name.replaceAll("__", " · "), target: targetOf(call.arguments) };
}

/** A duration as people say it: 0.4 s, 14 s, 2 min 5 s. */
export function durationText(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function targetOf(given: unknown): string {
  if (typeof given !== "object" || given === null) return "";
  const values = given as Readonly<Record<string, unknown>>;
  const name = TELLING.find((each) => typeof values[each] === "string");
  const value = name ? values[name] : Object.values(values).find((each) => typeof each === "string");
  const text = typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim() : "";
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
