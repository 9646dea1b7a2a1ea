import { type Accessor, createEffect, createSignal, onCleanup, untrack } from "solid-js";
import type { Playback, Speed } from "./playback.ts";

/** What is played: how many events of it, and where it is now, as a count of events. */
export interface Played {
  readonly playback: Playback;
  readonly count: Accessor<number>;
  readonly position: Accessor<number>;
  readonly moveTo: (position: number) => void;
}

/** Makes a player for the component that calls it. */
export function createPlayer({ playback, count, position, moveTo }: Played) {
  const [isPlaying, setPlaying] = createSignal(false);
  const [speed, setSpeed] = createSignal<Speed>(1);
  createEffect(() => {
    if (!isPlaying()) return;
    const chosen = speed();
    const begunAt = untrack(position);
    const begun = performance.now();
    let frames = 0;
    let frame = requestAnimationFrame(function play(now) {
      const next = playback.playedAfter(begunAt, chosen, { ms: now - begun, frames: ++frames });
      if (next !== position()) moveTo(next);
      if (next >= count()) setPlaying(false);
      else frame = requestAnimationFrame(play);
    });
    onCleanup(() => cancelAnimationFrame(frame));
  });
  return {
    isPlaying,
    speed,
    setSpeed,
    toggle() {
      if (!isPlaying() && position() >= count()) moveTo(1);
      setPlaying((before) => !before);
    },
    pause: () => setPlaying(false),
  };
}

/** Plays events until it is paused or none is left. */
export type Player = ReturnType<typeof createPlayer>;
