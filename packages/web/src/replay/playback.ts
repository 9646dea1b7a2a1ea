import type { DomainEvent } from "@parley/client";

/** How fast the past is played: times the speed at which it happened, or as fast as it can be looked at. */
export type Speed = 1 | 4 | 16 | "max";
export const SPEEDS: readonly Speed[] = [1, 4, 16, "max"];

/** Longer pauses are shortened. */
const MAX_PAUSE_MS = 2_000;
/** At 60 frames a second, 10,000 events in ten seconds. */
const EVENTS_A_FRAME = 16;

/** When each event is played, in milliseconds after the first: as it happened, without the long pauses. */
export class Playback {
  readonly #times: number[] = [];
  #lastAt = 0;

  /** Takes the events that come next. */
  append(events: readonly Pick<DomainEvent, "timestamp">[]): void {
    for (const { timestamp } of events) {
      const at = Date.parse(timestamp);
      const before = this.#times.at(-1);
      // Clocks of several nodes may differ: nothing is played before what it followed.
      const pause = Math.min(Math.max(at - this.#lastAt, 0), MAX_PAUSE_MS);
      this.#times.push(before === undefined ? 0 : before + pause);
      this.#lastAt = at;
    }
  }

  /** How many events were played after so long, begun when so many were; at full speed, after so many frames. */
  playedAfter(
    begunAt: number,
    speed: Speed,
    elapsed: { readonly ms: number; readonly frames: number },
  ): number {
    const all = this.#times.length;
    if (speed === "max") return Math.min(all, begunAt + elapsed.frames * EVENTS_A_FRAME);
    const until = (this.#times[Math.max(begunAt, 1) - 1] ?? 0) + elapsed.ms * speed;
    return Math.max(begunAt, firstAfter(this.#times, until));
  }
}

/** How many of the ascending times are not above the bound. */
function firstAfter(times: readonly number[], bound: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
