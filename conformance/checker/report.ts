import type { ArtifactReport, Rule, StreamReport } from "@parley/a2a/checks";

/** One thing that was wrong, and where. */
export interface Violation {
  readonly rule: Rule;
  /** The stream's place in the report. */
  readonly stream: number;
  /** The event's place in its stream, from 1. */
  readonly event: number;
  readonly detail: string;
}

/** All that a checker saw. */
export interface CheckerReport {
  readonly streams: readonly StreamReport[];
  /** The first thousand. */
  readonly violations: readonly Violation[];
  readonly violationCount: number;
}

/** Whether two artifacts were being sent at the same time: each began before the other ended. */
export function overlap(one: ArtifactReport, other: ArtifactReport): boolean {
  return one.firstSeen < other.lastSeen && other.firstSeen < one.lastSeen;
}
