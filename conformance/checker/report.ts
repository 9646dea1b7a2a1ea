import type { ArtifactReport, Rule, StreamReport } from "@parley/a2a/checks";

/** A violation and its place. */
export interface Violation {
  readonly rule: Rule;
  /** The stream's index in the report. */
  readonly stream: number;
  /** The event's position in its stream, from 1. */
  readonly event: number;
  readonly detail: string;
}

/** A checker's report. */
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
