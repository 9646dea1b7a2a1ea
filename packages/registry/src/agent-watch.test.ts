import { describe, expect, it } from "vitest";
import { defaultPace, nextCheckMs } from "./agent-watch.ts";

describe("nextCheckMs (S4.25)", () => {
  it("is steady while an agent is up, and backs off to five minutes while it is down", () => {
    const pauses = [0, 1, 2, 3, 9, 10, 5_000].map((failures) => nextCheckMs(defaultPace, failures, 0.5));
    expect(pauses).toEqual([15_000, 1_000, 2_000, 4_000, 256_000, 300_000, 300_000]);
  });

  it("adds up to a quarter of jitter", () => {
    expect([nextCheckMs(defaultPace, 0, 0), nextCheckMs(defaultPace, 0, 1)]).toEqual([11_250, 18_750]);
  });
});
