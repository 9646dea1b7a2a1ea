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

/** What the display of a call depends on besides the call. */
export interface CallContext {
  readonly now: number;
  readonly width: number;
  /** Whether its run has ended: then it is not running, even if its end was never reported. */
  readonly isOver: boolean;
}

/** A call in one line: state, action, target and duration; the target is clipped to the width. */
export function callLine(call: RecordedCall, { now, isOver, width }: CallContext): Line {
  const { kind, name, target } = callWords(call);
  const spaced = (text: string) => (text === "" ? [] : [span(` ${text}`, "quiet")]);
  const what = [markOf(call, isOver), span(` ${kind} `, "quiet"), span(name)];
  const duration = spaced(callDuration(call, now, isOver));
  const room = Math.max(1, width - lineWidth(what) - lineWidth(duration));
  return [...what, ...clipped(spaced(target), room), ...duration];
}

/** What one agent does for a run: its delegation, its calls, and the last line of its text while it works. */
export function laneLines(
  { delegation, calls, texts }: Lane,
  said: RunRecord["texts"],
  around: CallContext,
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
