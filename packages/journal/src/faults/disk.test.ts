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

it("invariant 18: a failed fsync ends the process with a word, and reopening finds what was acknowledged", async () => {
  const folder = join(await testFolder(), "data");
  await mkdir(folder);
  const strace = await systemTool("strace");
  const failing = "fsync,fdatasync";
  const around = [
    strace,
    "-f",
    "-qq",
    "-e",
    `trace=${failing}`,
    "-e",
    `inject=${failing}:error=EIO:when=40+`,
  ];
  const child = new Child("append-one-by-one.ts", { where: { folder } }, [...around, "-o", "/dev/null"]);
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
