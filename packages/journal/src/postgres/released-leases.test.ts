import { setTimeout as sleep } from "node:timers/promises";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import pg from "pg";
import { expect, inject, it, onTestFinished } from "vitest";
import { openPostgresJournal } from "./postgres-journal.ts";

/** Longer than anybody waits for a connection. */
const BUSY_MS = 6_000;
const LEASES = 40;

it("a node releases all its leases although the database is slow to release the first ones (invariant 6)", async () => {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  const journal = await openPostgresJournal({ url, leaseMs: 600_000 });
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  onTestFinished(async () => {
    await other.end();
    await journal.close();
    await drop();
  });
  const names = Array.from({ length: LEASES }, (_, n) => `run/${n}`);
  const leases = await Promise.all(names.map((name) => journal.acquire(name)));
  await other.query("BEGIN");
  await other.query("SELECT id FROM parley.streams WHERE name = ANY($1) FOR UPDATE", [names.slice(0, 5)]);
  const released = Promise.allSettled(leases.map((lease) => lease.release()));
  await sleep(BUSY_MS);
  await other.query("COMMIT");
  expect((await released).filter(({ status }) => status === "rejected")).toEqual([]);
  const { rows } = await other.query(
    "SELECT count(*)::int AS free, min(epoch)::int AS epoch FROM parley.streams WHERE lease_owner IS NULL AND name = ANY($1)",
    [names],
  );
  expect(rows).toEqual([{ free: LEASES, epoch: 2 }]);
  // What is given back twice, or under an old epoch, takes nothing from whoever has it next.
  const [name = ""] = names;
  const next = await journal.acquire(name);
  await leases[0]?.release();
  expect(await journal.append(name, ["mine"], { epoch: next.epoch })).toBe(1);
}, 180_000);
