import type { PlanStep } from "@parley/client";
import { type Line, type Span, span } from "../../terminal/line.ts";

const MARKS: Readonly<Record<PlanStep["state"], Span>> = {
  pending: span("☐", "quiet"),
  working: span("▸", "notice"),
  waiting: span("?", "notice"),
  completed: span("✓", "good"),
  failed: span("✗", "bad"),
  canceled: span("■", "notice"),
  skipped: span("⤼", "quiet"),
};
const ENDED = new Set<PlanStep["state"]>(["completed", "failed", "canceled", "skipped"]);

/** The plan as a checklist: what is done, what is under way, and who does it. */
export function planLines(steps: readonly PlanStep[]): readonly Line[] {
  return [
    [span("Plan", "strong")],
    ...steps.map(
      ({ state, title, agent }): Line => [
        span("  "),
        MARKS[state] ?? MARKS.pending,
        span(` ${title}`, state === "skipped" ? "quiet" : "plain"),
        ...(agent === undefined ? [] : [span(`  ${agent}`, "quiet")]),
      ],
    ),
  ];
}

/** Whether nothing of the plan is still to be done. */
export function isPlanEnded(steps: readonly PlanStep[]): boolean {
  return steps.every(({ state }) => ENDED.has(state));
}
