// Runs in a small file system: there is room for the log of writes, and none to copy it into the database. Throws if a promise is broken.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { readAll } from "../contract/journal-fixture.ts";
import { DiskFullError } from "../errors.ts";
import { openAt } from "./storage.ts";

const MEGABYTE = 1_048_576;
const { disk }: { readonly disk: string } = JSON.parse(process.argv[2] ?? "{}");
const ballast = join(disk, "ballast");
const folder = join(disk, "data");
const acknowledged: string[] = [];
let journal = await openAt({ folder });

writeFileSync(ballast, Buffer.alloc(26 * MEGABYTE));
await assert.rejects(async () => {
  for (;;) await append();
}, DiskFullError);
assert.ok(
  statSync(join(folder, "journal.db-wal")).size > 15 * MEGABYTE,
  "the log has grown until it was to be copied",
);
assert.deepEqual(await stored(), acknowledged, "reads go on, and nothing but the acknowledged is there");
rmSync(ballast);
const before = statSync(join(folder, "journal.db")).size;
for (let n = 0; n < 100; n++) await append();
assert.ok(statSync(join(folder, "journal.db")).size > before, "the log is copied after all");
assert.deepEqual(await stored(), acknowledged, "writing has recovered");
await journal.close();
journal = await openAt({ folder });
assert.deepEqual(await stored(), acknowledged, "reopening finds the same");
await journal.close();
writeSync(1, `${acknowledged.length} acknowledged\n`);

async function append(): Promise<void> {
  const token = randomBytes(15_000).toString("hex");
  await journal.append("a", [token]);
  acknowledged.push(token);
}

async function stored(): Promise<unknown[]> {
  return (await readAll(journal, "a")).map(({ payload }) => payload);
}
