import { readdir, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it } from "vitest";
import { DiskSync } from "./disk-sync.ts";

/** How many descriptors of this process are open on a file. */
async function descriptorsOf(path: string): Promise<number> {
  const targets = (await readdir("/proc/self/fd")).map((fd) =>
    readlink(`/proc/self/fd/${fd}`).catch(() => ""),
  );
  return (await Promise.all(targets)).filter((target) => target === path).length;
}

it.runIf(process.platform === "linux")(
  "DiskSync opens a file once, however many syncs begin at the same time, and closes it",
  async () => {
    const path = join(await testFolder(), "journal.db");
    await writeFile(path, "");
    const disk = new DiskSync(path);
    await Promise.all([disk.database(), disk.database(), disk.database()]);
    expect(await descriptorsOf(path)).toBe(1);
    await disk.close();
    expect(await descriptorsOf(path)).toBe(0);
  },
);
