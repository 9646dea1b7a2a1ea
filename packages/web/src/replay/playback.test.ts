import { expect, it } from "vitest";
import { Playback } from "./playback.ts";

function playback(...seconds: readonly number[]): Playback {
  const all = new Playback();
  all.append(seconds.map((second) => ({ timestamp: new Date(second * 1_000).toISOString() })));
  return all;
}

it("playback runs at the original pace, or several times as fast (+3)", () => {
  const play = playback(0, 1, 2, 3);
  expect(play.playedAfter(1, 1, { ms: 999, frames: 60 })).toBe(1);
  expect(play.playedAfter(1, 1, { ms: 1_000, frames: 60 })).toBe(2);
  expect(play.playedAfter(1, 4, { ms: 500, frames: 30 })).toBe(3);
  expect(play.playedAfter(2, 16, { ms: 10_000, frames: 600 })).toBe(4);
});

it("playback skips long pauses, and ignores clocks that go back", () => {
  const play = playback(0, 3_600, 3_599, 3_599.5);
  expect(play.playedAfter(1, 1, { ms: 1_999, frames: 1 })).toBe(1);
  expect(play.playedAfter(1, 1, { ms: 2_000, frames: 1 })).toBe(3);
  expect(play.playedAfter(1, 1, { ms: 2_500, frames: 1 })).toBe(4);
});

it("playback advances by frames at maximum speed", () => {
  const play = playback(...Array.from({ length: 100 }, (_, at) => at));
  expect(play.playedAfter(1, "max", { ms: 0, frames: 2 })).toBe(33);
  expect(play.playedAfter(1, "max", { ms: 0, frames: 50 })).toBe(100);
});
