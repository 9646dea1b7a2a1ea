// The journal in ten lines: append, follow, stop and resume. node examples/journal.ts
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteJournal } from "@parley/journal";

const folder = await mkdtemp(join(tmpdir(), "parley-example-"));
const journal = await openSqliteJournal({ folder });
await journal.append("greetings", [{ text: "Hello" }, { text: "Good day" }], { urgent: true });
const seen: string[] = [];
for await (const events of journal.follow("greetings", 0)) {
  for (const { index, payload } of events) seen.push(`${index} ${JSON.stringify(payload)}`);
  if (seen.length === 2) await journal.append("greetings", [{ text: "Good night" }], { urgent: true });
  if (seen.length === 3) break;
}
await journal.close();
await rm(folder, { recursive: true });

assert.deepEqual(seen, ['1 {"text":"Hello"}', '2 {"text":"Good day"}', '3 {"text":"Good night"}']);
process.stdout.write(`${seen.join("\n")}\n`);
