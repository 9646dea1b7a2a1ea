import { describe, expect, it } from "vitest";
import { defaultRetries, retryDelay } from "./retry-schedule.ts";

describe("retries", () => {
  const delays = () => Array.from({ length: 7 }, (_, n) => retryDelay(defaultRetries, n + 1) ?? 0);

  it("are eight attempts over about an hour with growing delays (S1.25)", () => {
    for (let run = 0; run < 100; run++) {
      const waits = delays();
      const total = waits.reduce((sum, wait) => sum + wait, 0);
      expect(total).toBeGreaterThan(45 * 60_000);
      expect(total).toBeLessThan(75 * 60_000);
      expect(waits.slice(0, 6)).toEqual(waits.slice(0, 6).toSorted((a, b) => a - b));
      expect(retryDelay(defaultRetries, 8)).toBeUndefined();
    }
  });

  it("are spread for deliveries that failed at the same time", () => {
    expect(new Set(Array.from({ length: 20 }, () => retryDelay(defaultRetries, 3))).size).toBeGreaterThan(10);
  });
});
