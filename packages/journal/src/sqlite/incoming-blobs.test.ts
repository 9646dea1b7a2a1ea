import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it } from "vitest";
import { openSqliteJournal } from "./sqlite-journal.ts";

it("what a killed process had begun to receive is removed when the journal is opened", async () => {
  const folder = await testFolder();
  const draft = join(folder, "blobs/incoming/begun");
  mkdirSync(join(folder, "blobs/incoming"), { recursive: true });
  writeFileSync(draft, "half");
  const journal = await openSqliteJournal({ folder });
  expect(existsSync(draft)).toBe(false);
  await journal.close();
});
