import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { LeaseKeeper } from "./lease-keeper.ts";

const TTL = 120;

function keep(renew: () => Promise<boolean>, asked = performance.now()) {
  let ended = 0;
  const lease = new LeaseKeeper(
    "a",
    { epoch: 1, ttlMs: TTL, asked },
    { renew, release: async () => {}, ended: () => ended++ },
  );
  return { lease, endings: () => ended };
}

describe("a lease that is kept", () => {
  it("is renewed as long as it is held", async () => {
    let renewals = 0;
    const { lease } = keep(async () => Boolean(++renewals));
    await sleep(TTL * 3);
    expect(lease.signal.aborted).toBe(false);
    expect(renewals).toBeGreaterThan(3);
    await lease.release();
    const before = renewals;
    await sleep(TTL);
    expect(renewals).toBe(before);
  });

  it.each([
    ["is refused", async () => false],
    ["fails", () => Promise.reject(new Error("no answer"))],
  ])("is lost when its renewal %s, and says so once", async (_, renew) => {
    const { lease, endings } = keep(renew);
    await sleep(TTL * 0.6);
    expect(lease.signal.aborted).toBe(true);
    await lease.release();
    expect(endings()).toBe(1);
  });

  it("is lost in time when the answer to its renewal does not come", async () => {
    const { lease } = keep(() => new Promise(() => {}));
    await sleep(TTL * 0.8);
    expect(lease.signal.aborted).toBe(false);
    await sleep(TTL * 0.4);
    expect(lease.signal.aborted).toBe(true);
  });

  it("counts from when it was asked for, not from when the answer came", async () => {
    const { lease } = keep(() => new Promise(() => {}), performance.now() - TTL * 0.7);
    await sleep(TTL * 0.5);
    expect(lease.signal.aborted).toBe(true);
  });
});
