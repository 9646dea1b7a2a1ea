import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Renewal } from "../event-store.ts";
import { LeaseKeeper } from "./lease-keeper.ts";

const TTL = 120;

// A busy machine's clock would go on while nothing is renewed.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

function keep(renew: () => Promise<Renewal>, asked = performance.now()) {
  let ended = 0;
  const lease = new LeaseKeeper(
    "a",
    { epoch: 1, ttlMs: TTL, asked },
    { renew, release: async () => {}, ended: () => ended++ },
  );
  return { lease, endings: () => ended };
}

describe("LeaseKeeper", () => {
  it("renews the lease as long as it is held", async () => {
    let renewals = 0;
    const { lease } = keep(async () => {
      renewals++;
      return "renewed";
    });
    await pass(TTL * 3);
    expect(lease.signal.aborted).toBe(false);
    expect(renewals).toBeGreaterThan(3);
    await lease.release();
    const before = renewals;
    await pass(TTL);
    expect(renewals).toBe(before);
  });

  it.each([
    ["is refused", async () => "lost" as const],
    ["fails", () => Promise.reject(new Error("no answer"))],
  ])("is lost when its renewal %s, and says so once", async (_, renew) => {
    const { lease, endings } = keep(renew);
    await pass(TTL * 0.6);
    expect(lease.signal.aborted).toBe(true);
    await lease.release();
    expect(endings()).toBe(1);
  });

  it("loses the lease in time when a renewal is not answered", async () => {
    const { lease } = keep(() => new Promise(() => {}));
    await pass(TTL * 0.8);
    expect(lease.signal.aborted).toBe(false);
    await pass(TTL * 0.4);
    expect(lease.signal.aborted).toBe(true);
  });

  it("renews again soon when the row was busy, and counts the time from then", async () => {
    const outcomes: Renewal[] = ["busy", "busy", "renewed"];
    let renewals = 0;
    const { lease } = keep(async () => outcomes[renewals++] ?? "renewed");
    await pass(TTL * 0.4);
    expect(renewals).toBe(3);
    await pass(TTL * 3);
    expect(lease.signal.aborted).toBe(false);
    await lease.release();
  });

  it("loses the lease in time when the row stays busy", async () => {
    const { lease, endings } = keep(async () => "busy");
    await pass(TTL * 0.9);
    expect(lease.signal.aborted).toBe(false);
    await pass(TTL * 0.2);
    expect(lease.signal.aborted).toBe(true);
    expect(endings()).toBe(1);
  });

  it("counts the time from the request, not from the answer", async () => {
    const { lease } = keep(() => new Promise(() => {}), performance.now() - TTL * 0.7);
    await pass(TTL * 0.5);
    expect(lease.signal.aborted).toBe(true);
  });
});
