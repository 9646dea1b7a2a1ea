import { durationText } from "@parley/client";

/** A duration to the millisecond where it is short. */
export function shortDuration(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : durationText(milliseconds);
}
