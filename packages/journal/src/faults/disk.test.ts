import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { smallDisk } from "@parley/testing/small-disk.ts";
import { systemTool } from "@parley/testing/system-tool.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it } from "vitest";
import { readAll, upTo } from "../contract/journal-fixture.ts";
import { Child } from "./child.ts";
import { openAt } from "./storage.ts";

it.each(["sqlite", "postgres"] as const)(
  "invariant 18: a full disk under %s rejects appends, reads go on, and space brings writing back",
  async (storage) => {
    const disk = await testFolder();
    const child = new Child("fill-the-disk.ts", { disk, storage }, smallDisk(disk, "12m"));
    expect(await child.ended, child.errors).toBe(0);
    expect(child.lines.at(-1)).toMatch(/^\d{3,} acknowledged$/);
  },
);

it("invariant 18: a disk without room to copy SQLite's log into the database rejects appends and ends no process, and space brings both back", async () => {
  const disk = await testFolder();
  const child = new Child("copy-without-room.ts", { disk }, smallDisk(disk, "48m"));
  expect(await child.ended, child.errors).toBe(0);
  expect(child.lines.at(-1)).toMatch(/^\d{3,} acknowledged$/);
});

/** The command line that makes every fsync of a program fail after the first forty. */
function failingSync(): string[] {
  const failing = "fsync,fdatasync";
  const flags = ["-f", "-qq", "-e", `trace=${failing}`, "-e", `inject=${failing}:error=EIO:when=40+`];
  return [systemTool("strace"), ...flags, "-o", "/dev/null"];
}

it("invariant 18: a fsync that fails for something else than an append ends the process as well", async () => {
  const folder = await testFolder();
  const child = new Child("trim-until-failure.ts", { where: { folder } }, failingSync());
  expect(await child.ended).toBe(1);
  expect(child.errors).toMatch(/^Writing to .*journal\.db failed/);
  expect(child.lines.filter((line) => line.startsWith("acknowledged"))).toEqual([]);
});

it("invariant 18: a failed fsync ends the process with a word, and reopening finds what was acknowledged", async () => {
  const folder = join(await testFolder(), "data");
  await mkdir(folder);
  const child = new Child("append-one-by-one.ts", { where: { folder } }, failingSync());
  expect(await child.ended).toBe(1);
  expect(child.errors).toMatch(/^Writing to .*journal\.db failed: .*\n$/);
  expect(child.lines.length).toBeGreaterThan(5);

  const journal = await openAt({ folder });
  const log = await readAll(journal, "a");
  expect(log.map(({ index }) => index)).toEqual(upTo(log.length));
  expect(log.length).toBeGreaterThanOrEqual(child.lines.length);
  expect(await journal.append("a", ["goes on"])).toBe(log.length + 1);
  await journal.close();
});
