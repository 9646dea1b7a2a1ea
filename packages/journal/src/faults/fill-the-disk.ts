// Runs in a small file system: fills it, sees appends rejected, frees space, goes on. Throws if a promise is broken.
import assert from "node:assert/strict";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { readAll } from "../contract/journal-fixture.ts";
import { DiskFullError } from "../errors.ts";
import { openSqliteJournal } from "../sqlite/sqlite-journal.ts";

const { folder }: { readonly folder: string } = JSON.parse(process.argv[2] ?? "{}");
const ballast = join(folder, "ballast");
const data = join(folder, "data");
const acknowledged: string[] = [];
let written = 0;

let journal = await openSqliteJournal({ folder: data });
const append = async () => {
  const token = `${++written}-${"x".repeat(5_000)}`;
  await journal.append("a", [token]);
  acknowledged.push(token);
};
const stored = async () => (await readAll(journal, "a")).map(({ payload }) => payload);

for (let round = 1; round <= 3; round++) {
  for (let n = 0; n < 20; n++) await append();
  fill(ballast);
  await assert.rejects(async () => {
    for (;;) await append();
  }, DiskFullError);
  await assert.rejects(
    Promise.all(Array.from({ length: 50 }, append)),
    DiskFullError,
    "a whole batch is refused as well",
  );
  assert.deepEqual(await stored(), acknowledged, "reads go on, and nothing but the acknowledged is there");
  await assert.rejects(journal.blobs.put(Buffer.alloc(1_000_000, round), "x/y"), DiskFullError);
  rmSync(ballast);
  for (let n = 0; n < 20; n++) await append();
  assert.deepEqual(await stored(), acknowledged, "writing has recovered");
  await journal.close();
  journal = await openSqliteJournal({ folder: data });
  assert.deepEqual(await stored(), acknowledged, "reopening finds the same");
}
await journal.close();

fill(ballast);
await assert.rejects(openSqliteJournal({ folder: join(folder, "another") }), DiskFullError);
writeSync(1, `${acknowledged.length} acknowledged\n`);

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
