import {
  callDuration,
  callState,
  callWords,
  type Lane,
  type RecordedCall,
  type RunRecord,
} from "@parley/client";
import { clipped, type Line, lineWidth, type Span, span } from "../../terminal/line.ts";
import { INDENT } from "./markdown-lines.ts";

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
  const { kind, name, target } = callWords(call);
  const spaced = (text: string) => (text === "" ? [] : [span(` ${text}`, "quiet")]);
  const what = [markOf(call, isOver), span(` ${kind} `, "quiet"), span(name)];
  const duration = spaced(callDuration(call, now, isOver));
  const room = Math.max(1, width - lineWidth(what) - lineWidth(duration));
  return [...what, ...clipped(spaced(target), room), ...duration];
}

/** What one agent does for a run: how it was asked, below it what it does, and while it is at it, what it says. */
export function laneLines(
  { delegation, calls, texts }: Lane,
  said: RunRecord["texts"],
  around: Around,
): readonly Line[] {
  const text = said[texts.at(-1) ?? ""]?.text ?? "";
  const isEnded = around.isOver || delegation.outcome !== undefined;
  const last = isEnded ? undefined : text.trimEnd().split("\n").at(-1);
  const inner = { ...around, isOver: isEnded, width: around.width - INDENT.length };
  return [
    callLine(delegation, around),
    ...calls.map((call): Line => [span(INDENT), ...callLine(call, inner)]),
    ...(last ? [[span(`${INDENT}${last}`, "quiet")]] : []),
  ];
}

function markOf(call: RecordedCall, isOver: boolean): Span {
  switch (callState(call, isOver)) {
    case "running":
      return span("…", "notice");
    case "succeeded":
      return span("✓", "good");
    case "failed":
      return span("✗", "bad");
    case "canceled":
      return span("■", "notice");
    case "unknown":
      return span("?", "notice");
  }
}
