import { describe, expect, it } from "vitest";
import { defaultPace, nextLook } from "./check-pace.ts";

describe("the pace of looking at an agent (S4.25)", () => {
  it("is steady while it is up, and slows down to five minutes while it is not", () => {
    const pauses = [0, 1, 2, 3, 9, 10, 5_000].map((failures) => nextLook(defaultPace, failures, 0.5));
    expect(pauses).toEqual([15_000, 1_000, 2_000, 4_000, 256_000, 300_000, 300_000]);
  });

  it("differs by chance, by a quarter at most", () => {
    expect([nextLook(defaultPace, 0, 0), nextLook(defaultPace, 0, 1)]).toEqual([11_250, 18_750]);
  });
});
