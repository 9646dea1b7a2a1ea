import { describe, expect, it } from "vitest";
import { Backoff, backoffDelay, NO_JITTER, pause } from "./backoff.ts";

const POLICY = { firstDelayMs: 100, maxDelayMs: 1_000 };

describe("backoffDelay", () => {
  it("doubles the pause up to its maximum", () => {
    const exact = { ...POLICY, jitter: NO_JITTER };
    expect([1, 2, 3, 4, 5, 5_000].map((failures) => backoffDelay(exact, failures))).toEqual([
      100, 200, 400, 800, 1_000, 1_000,
    ]);
    expect(backoffDelay({ ...exact, factor: 3 }, 3)).toBe(900);
  });

  it("takes half of the pause for certain and half by chance, unless told otherwise", () => {
    expect([backoffDelay(POLICY, 2, 0), backoffDelay(POLICY, 2, 1)]).toEqual([100, 200]);
    const wide = { ...POLICY, jitter: [0.75, 1.25] } as const;
    expect([backoffDelay(wide, 2, 0), backoffDelay(wide, 2, 1)]).toEqual([150, 250]);
  });
});

describe("Backoff", () => {
  it("starts over after a reset", () => {
    const backoff = new Backoff(POLICY, { random: () => 1 });
    expect([backoff.isFailing, backoff.next(), backoff.next(), backoff.isFailing]).toEqual([
      false,
      100,
      200,
      true,
    ]);
    backoff.reset();
    expect([backoff.isFailing, backoff.next()]).toEqual([false, 100]);
  });

  it("gives up once it has been failing for the whole budget", async () => {
    let now = 0;
    const backoff = new Backoff(POLICY, { now: () => now, random: () => 1 });
    expect(backoff.nextWithin(500)).toBe(100);
    now = 500;
    expect(backoff.nextWithin(500)).toBeUndefined();
    expect(await backoff.waitWithin(500, new AbortController().signal)).toBe(false);
    backoff.reset();
    expect(backoff.nextWithin(500)).toBe(100);
    expect(new Backoff(POLICY).nextWithin(0)).toBeUndefined();
  });
});

describe("pause", () => {
  it("rejects with the reason of the abort", async () => {
    const controller = new AbortController();
    const pausing = pause(60_000, controller.signal);
    controller.abort("stopped");
    await expect(pausing).rejects.toBe("stopped");
  });
});
