import type { RecordedCall } from "@parley/client";
import { clipped, type Line, lineWidth, type Span, span } from "../../terminal/line.ts";
import { durationText } from "./duration-text.ts";
import { INDENT } from "./markdown-lines.ts";
import { isDelegation, type Lane } from "./work.ts";

/** Arguments that say best what a call is about, the best first. */
const TELLING = ["request", "query", "path", "name", "expression", "url", "command", "pattern", "id"];
const LONGEST = 120;

/** What is known of a call besides itself. */
export interface Around {
  readonly now: number;
  /** How wide a line may be. */
  readonly width: number;
  /** Whether what it was made for has ended: then it is not under way, though its end was never told. */
  readonly isOver: boolean;
}

/** A call in one line: how it went, what was done to what, how long it took; the target is cut to what there is room for. */
export function callLine(call: RecordedCall, { now, isOver, width }: Around): Line {
  const verb = isDelegation(call) ? "asked" : "used";
  const spaced = (text: string) => (text === "" ? [] : [span(` ${text}`, "quiet")]);
  const what = [markOf(call, isOver), span(` ${verb} `, "quiet"), span(call.name.replaceAll("__", " · "))];
  const duration = spaced(durationOf(call, now, isOver));
  const room = Math.max(1, width - lineWidth(what) - lineWidth(duration));
  return [...what, ...clipped(spaced(targetOf(call.arguments)), room), ...duration];
}

/** What one agent does for a run: how it was asked, below it what it does, and while it is at it, what it says. */
export function laneLines({ delegation, calls, text }: Lane, around: Around): readonly Line[] {
  const isEnded = around.isOver || delegation.outcome !== undefined;
  const last = isEnded ? undefined : text.trimEnd().split("\n").at(-1);
  const inner = { ...around, isOver: isEnded, width: around.width - INDENT.length };
  return [
    callLine(delegation, around),
    ...calls.map((call): Line => [span(INDENT), ...callLine(call, inner)]),
    ...(last ? [[span(`${INDENT}${last}`, "quiet")]] : []),
  ];
}

function markOf({ outcome }: RecordedCall, isOver: boolean): Span {
  switch (outcome) {
    case "succeeded":
      return span("✓", "good");
    case "failed":
      return span("✗", "bad");
    case "canceled":
      return span("■", "notice");
    case undefined:
      return isOver ? span("?", "notice") : span("…", "notice");
    default:
      return span("?", "notice");
  }
}

function durationOf({ durationMs, startedAt, outcome }: RecordedCall, now: number, isOver: boolean): string {
  if (durationMs !== undefined) return durationText(durationMs);
  const elapsed = outcome === undefined && startedAt && !isOver ? now - Date.parse(startedAt) : 0;
  return elapsed >= 1_000 ? durationText(elapsed) : "";
}

function targetOf(given: unknown): string {
  if (typeof given !== "object" || given === null) return "";
  const values = given as Readonly<Record<string, unknown>>;
  const name = TELLING.find((each) => typeof values[each] === "string");
  const value = name ? values[name] : Object.values(values).find((each) => typeof each === "string");
  const text = typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim() : "";
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
