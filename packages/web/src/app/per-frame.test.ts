import { expect, it } from "vitest";
import { perFrame } from "./per-frame.ts";

it("perFrame passes on the last value of each frame once", () => {
  const frames: (() => void)[] = [];
  const seen: number[] = [];
  const tell = perFrame<number>(
    (value) => seen.push(value),
    (act) => frames.push(act),
  );
  for (let value = 1; value <= 600; value++) tell(value);
  expect([frames.length, seen]).toEqual([1, []]);
  frames.shift()?.();
  expect(seen).toEqual([600]);
  tell(601);
  frames.shift()?.();
  expect(seen).toEqual([600, 601]);
});
