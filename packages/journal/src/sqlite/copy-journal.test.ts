import { join } from "node:path";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it } from "vitest";
import { NotAJournalError } from "../errors.ts";
import { Child } from "../faults/child.ts";
import { copySqliteJournal } from "./copy-journal.ts";
import { openSqliteJournal } from "./sqlite-journal.ts";

describe("copySqliteJournal", () => {
  it("copies the state at its start in one go while another process writes", async () => {
    const folder = await testFolder();
    const filler = await openSqliteJournal({ folder });
    const text = "x".repeat(100_000);
    for (let n = 0; n < 25; n++) await filler.append("large", Array(10).fill(text));
    await filler.close();
    const writer = new Child("append-one-by-one.ts", { where: { folder } });
    await writer.printed(5);
    const before = writer.lines.length;
    const target = await testFolder();
    const seen: number[] = [];
    await copySqliteJournal(join(folder, "journal.db"), join(target, "journal.db"), (done) => {
      seen.push(done);
    });
    await writer.printed(writer.lines.length + 2);
    await writer.kill();
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    const copy = await openSqliteJournal({ folder: target });
    expect(await copy.head("large")).toBe(250);
    expect((await copy.read("large", 249))[0]?.payload).toBe(text);
    expect(await copy.head("a")).toBeGreaterThanOrEqual(before);
    await copy.close();
  });

  it("refuses a file that is not a journal", async () => {
    const folder = await testFolder({ "journal.db": "x".repeat(200) });
    const copying = copySqliteJournal(join(folder, "journal.db"), join(folder, "copy.db"));
    await expect(copying).rejects.toBeInstanceOf(NotAJournalError);
  });
});
