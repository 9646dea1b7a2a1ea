import { setTimeout as sleep } from "node:timers/promises";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import pg from "pg";
import { expect, inject, it, onTestFinished } from "vitest";
import { openPostgresJournal } from "./postgres-journal.ts";

const LEASE_MS = 4_000;
/** More than the connections that the journal has for events and leases. */
const LOCKED = 8;

async function openJournal() {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  const journal = await openPostgresJournal({ url, leaseMs: LEASE_MS });
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  onTestFinished(async () => {
    await other.end();
    await journal.close();
    await drop();
  });
  return { journal, other };
}

const names = (kind: string) => Array.from({ length: LOCKED }, (_, n) => `${kind}/${n}`);

async function lock(client: pg.Client, streams: readonly string[]): Promise<void> {
  await client.query("BEGIN");
  await client.query("SELECT id FROM parley.streams WHERE name = ANY($1) FOR UPDATE", [streams]);
}

it("a transaction that holds the rows of some streams does not stop the renewal of other leases (invariant 6)", async () => {
  const { journal, other } = await openJournal();
  const held = await Promise.all(names("held").map((name) => journal.acquire(name)));
  const free = await Promise.all(names("free").map((name) => journal.acquire(name)));
  await lock(
    other,
    held.map(({ stream }) => stream),
  );
  await sleep(2 * LEASE_MS);
  await other.query("COMMIT");
  expect(free.map(({ signal }) => signal.reason)).toEqual(free.map(() => undefined));
  const { rows } = await other.query(
    "SELECT name FROM parley.streams WHERE name LIKE 'free/%' AND lease_until > clock_timestamp()",
  );
  expect(rows).toHaveLength(LOCKED);
  // What could not be renewed in time counts as lost here, and is free for everybody.
  expect(held.map(({ signal }) => signal.aborted)).toEqual(held.map(() => true));
  const [first] = held;
  const next = await journal.acquire(first?.stream ?? "");
  await expect(journal.append(next.stream, ["late"], { epoch: first?.epoch ?? 0 })).rejects.toThrow();
  expect(await journal.append(next.stream, ["mine"], { epoch: next.epoch })).toBe(1);
}, 60_000);

it("a lease survives a transaction that holds its row for a shorter time than it lives (invariant 6)", async () => {
  const { journal, other } = await openJournal();
  const lease = await journal.acquire("a");
  for (let time = 0; time < 3; time++) {
    await lock(other, ["a"]);
    await sleep(LEASE_MS / 2);
    await other.query("COMMIT");
    await sleep(LEASE_MS / 4);
  }
  expect(lease.signal.reason).toBeUndefined();
  expect(await journal.append("a", ["mine"], { epoch: lease.epoch })).toBe(1);
}, 60_000);

it("leases that are asked for, and whose rows are held, do not stop the renewal of others (invariant 6)", async () => {
  const { journal, other } = await openJournal();
  const leases = await Promise.all(names("run").map((name) => journal.acquire(name)));
  const left = names("left");
  await other.query(
    `INSERT INTO parley.streams (name, lease_owner, lease_until)
     SELECT unnest($1::text[]), 'gone', clock_timestamp() - interval '1 minute'`,
    [left],
  );
  await lock(other, left);
  const asked = Promise.allSettled(left.map((name) => journal.acquire(name)));
  await sleep(2 * LEASE_MS);
  await other.query("COMMIT");
  await asked;
  expect(leases.map(({ signal }) => signal.reason)).toEqual(leases.map(() => undefined));
}, 60_000);
