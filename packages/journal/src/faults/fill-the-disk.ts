// Runs in a small file system: fills it, sees appends rejected, frees space, goes on. Throws if a promise is broken.
import assert from "node:assert/strict";
import { chmodSync, closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { folderOwnedBy, unprivilegedUser } from "@parley/testing/postgres/unprivileged-user.ts";
import { startPostgres } from "@parley/testing/postgres-server.ts";
import pg from "pg";
import { readAll } from "../contract/journal-fixture.ts";
import { DiskFullError, FencedError } from "../errors.ts";
import { openAt, type Where } from "./storage.ts";

interface Task {
  /** Where the small file system is. */
  readonly disk: string;
  readonly storage: "sqlite" | "postgres";
}

const { disk, storage }: Task = JSON.parse(process.argv[2] ?? "{}");
const ballast = join(disk, "ballast");

if (storage === "sqlite") {
  const acknowledged = await fillAndFree({ folder: join(disk, "data") });
  fill(ballast);
  await assert.rejects(openAt({ folder: join(disk, "another") }), DiskFullError);
  writeSync(1, `${acknowledged} acknowledged\n`);
} else {
  const server = await startPostgres({ settings: { max_connections: "50" } });
  await moveEventsToDisk(server.url);
  writeSync(1, `${await fillAndFree({ url: server.url })} acknowledged\n`);
  await server.stop();
}

async function fillAndFree(where: Where): Promise<number> {
  const acknowledged: string[] = [];
  let written = 0;
  let journal = await openAt(where);
  const append = async () => {
    const token = `${++written}-${noise(5_000)}`;
    await journal.append("a", [token]);
    acknowledged.push(token);
  };
  const stored = async () => (await readAll(journal, "a")).map(({ payload }) => payload);

  for (let round = 1; round <= 3; round++) {
    for (let n = 0; n < 20; n++) await append();
    const names = Array.from({ length: 50 }, (_, n) => `leased/${n}`);
    const leases = storage === "sqlite" ? await Promise.all(names.map((name) => journal.acquire(name))) : [];
    fill(ballast);
    await assert.rejects(async () => {
      for (;;) await append();
    }, DiskFullError);
    const batch = await Promise.allSettled(Array.from({ length: 50 }, append));
    for (const outcome of batch) {
      if (outcome.status === "rejected") assert.ok(outcome.reason instanceof DiskFullError);
    }
    assert.ok(
      batch.some(({ status }) => status === "rejected"),
      "there is no room for fifty more",
    );
    assert.deepEqual(await stored(), acknowledged, "reads go on, and nothing but the acknowledged is there");
    const released = await Promise.allSettled(leases.map((lease) => lease.release()));
    if (storage === "sqlite") {
      assert.ok(
        released.some(({ status }) => status === "rejected"),
        "there is no room to give back fifty leases",
      );
      await assert.rejects(journal.blobs.put(Buffer.alloc(1_000_000, round), "x/y"), DiskFullError);
    }
    rmSync(ballast);
    for (let n = 0; n < 20; n++) await append();
    assert.deepEqual(await stored(), acknowledged, "writing has recovered");
    // A lease that could not be given back is to be had all the same.
    for (const { stream, epoch } of leases) {
      const again = await journal.acquire(stream);
      await assert.rejects(journal.append(stream, ["late"], { epoch }), FencedError);
      await again.release();
    }
    await journal.close();
    journal = await openAt(where);
    assert.deepEqual(await stored(), acknowledged, "reopening finds the same");
  }
  await journal.close();
  return acknowledged.length;
}

/** Text that Postgres cannot compress away. */
function noise(length: number): string {
  return Array.from({ length: length / 10 }, () =>
    Math.random().toString(36).slice(2, 12).padEnd(10, "x"),
  ).join("");
}

// Only the events live on the small disk: a Postgres without room for its own log would stop altogether.
async function moveEventsToDisk(url: string): Promise<void> {
  chmodSync(disk, 0o777);
  const folder = folderOwnedBy(unprivilegedUser(), "events-", [disk]);
  await (await openAt({ url })).close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE TABLESPACE small LOCATION '${folder}'`);
  // A table moves without its partitions.
  const { rows } = await client.query<{ part: string }>(
    "SELECT inhrelid::regclass::text AS part FROM pg_inherits WHERE inhparent = 'parley.events'::regclass",
  );
  assert.equal(rows.length, 16);
  for (const { part } of rows) await client.query(`ALTER TABLE ${part} SET TABLESPACE small`);
  await client.end();
}

function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) writeUntilFull(file, Buffer.alloc(size));
  } finally {
    closeSync(file);
  }
}

function writeUntilFull(file: number, chunk: Buffer): void {
  try {
    for (;;) writeSync(file, chunk);
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
  }
}
