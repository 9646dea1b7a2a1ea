import { setTimeout as sleep } from "node:timers/promises";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { expect, inject, it } from "vitest";
import { readAll } from "../contract/journal-fixture.ts";
import { LeaseHeldError } from "../errors.ts";
import type { Journal, Lease } from "../journal.ts";
import { Child } from "./child.ts";
import { openAt } from "./storage.ts";

const PAUSES = 3;

async function takeOver(journal: Journal, stream: string): Promise<Lease> {
  for (;;) {
    try {
      return await journal.acquire(stream);
    } catch (error) {
      if (!(error instanceof LeaseHeldError)) throw error;
      await sleep(50);
    }
  }
}

it("invariant 13: a paused writer whose lease was taken over writes nothing", {
  timeout: 180_000,
}, async () => {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  const where = { url, leaseMs: 3_000 };
  const journal = await openAt(where);
  for (let pause = 0; pause < PAUSES; pause++) {
    const stream = `task-${pause}`;
    const owner = new Child("write-under-lease.ts", { where, stream });
    await owner.printed(10);
    await sleep(Math.random() * 50);
    owner.process.kill("SIGSTOP");
    expect(await journal.orphaned()).toEqual([]);
    const lease = await takeOver(journal, stream);
    const takenOverAt = await journal.append(stream, ["taken over"], { epoch: lease.epoch });
    owner.process.kill("SIGCONT");
    const printed = owner.lines.length;
    await owner.printed(printed + 10);
    await owner.kill();

    const after = await readAll(journal, stream, 1_000, takenOverAt);
    expect(after).toEqual([]);
    expect(owner.lines.slice(-5).every((line) => line === '["error","fenced"]' || line === '["lost"]')).toBe(
      true,
    );
    expect(owner.lines).toContain('["lost"]');
    expect(await journal.append(stream, ["goes on"], { epoch: lease.epoch })).toBe(takenOverAt + 1);
    await lease.release();
  }
  await journal.close();
  await drop();
});

it("the journal lists the streams of a dead owner as orphaned, and not those of a live one", {
  timeout: 180_000,
}, async () => {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  const where = { url, leaseMs: 3_000 };
  const journal = await openAt(where);
  const dead = new Child("write-under-lease.ts", { where, stream: "dead" });
  const alive = new Child("write-under-lease.ts", { where, stream: "alive" });
  await Promise.all([dead.printed(2), alive.printed(2)]);
  await dead.kill();
  await expect.poll(() => journal.orphaned()).toEqual(["dead"]);
  await expect(journal.acquire("alive")).rejects.toBeInstanceOf(LeaseHeldError);
  expect((await journal.acquire("dead")).epoch).toBe(2);
  await alive.kill();
  await journal.close();
  await drop();
});
