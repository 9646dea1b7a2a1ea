import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { smallDisk } from "@parley/testing/small-disk.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it } from "vitest";
import { ServerProcess } from "../testing/server-process.ts";
import { LogFile, logFilesOf } from "./log-file.ts";
import { createKeptLogger } from "./logger.ts";

async function kept(folder: string): Promise<string[]> {
  const texts = await Promise.all(
    logFilesOf({ dataFolder: folder }).map((path) => readFile(path, "utf8").catch(() => "")),
  );
  return texts.join("").trimEnd().split("\n");
}

describe("the log in the data folder", () => {
  it("keeps log lines in order, readable by the owner only, without secrets", async () => {
    const folder = await testFolder();
    const file = new LogFile({ dataFolder: folder });
    const log = createKeptLogger("fatal", file);
    for (let n = 1; n <= 1_000; n++) log.info({ n, token: "canary-7f3a" }, "counted");
    log.debug("not this one");
    await file.close();
    log.info("the last words");
    const lines = (await kept(folder)).map((line) => JSON.parse(line));
    expect(lines.map(({ n, msg }) => n ?? msg)).toEqual([
      ...Array.from({ length: 1_000 }, (_, i) => i + 1),
      "the last words",
    ]);
    expect(lines[0].token).toBe("[secret]");
    const [path = ""] = logFilesOf({ dataFolder: folder }).toReversed();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("rotates full files, and keeps a limited number of them", async () => {
    const folder = await testFolder();
    for (let n = 1; n <= 50; n++) {
      const file = new LogFile({ dataFolder: folder }, { fileBytes: 100 });
      file.write(`${String(n).padStart(39, "0")}\n`);
      await file.close();
    }
    const sizes = await Promise.all(
      logFilesOf({ dataFolder: folder }).map(async (path) => (await stat(path)).size),
    );
    expect(sizes).toEqual([80, 80, 80]);
    expect((await kept(folder)).map(Number)).toEqual([45, 46, 47, 48, 49, 50]);
  });

  it("limits its memory, and reports how many lines it dropped", async () => {
    const folder = await testFolder();
    const file = new LogFile({ dataFolder: folder });
    const large = `${"x".repeat(1_100_000)}\n`;
    // The first is under way, the second waits, and there is no room for more.
    for (const line of [large, large, "lost\n", "lost\n"]) file.write(line);
    await file.close();
    const [first, between, missing = "", second, ...more] = await kept(folder);
    expect([first?.length, between, second?.length, more]).toEqual([1_100_000, "", 1_100_000, []]);
    expect(JSON.parse(missing)).toMatchObject({
      level: "warn",
      lines: 2,
      msg: "log lines could not be kept",
    });
  });

  it("continues when its folder is back", async () => {
    const folder = join(await testFolder(), "data");
    const file = new LogFile({ dataFolder: folder });
    file.write("lost\n");
    await mkdir(folder);
    await expect
      .poll(async () => {
        file.write("kept\n");
        return kept(folder);
      })
      .toContain("kept");
    await file.close();
  });

  it("does not stop the process when the disk is full", async () => {
    const disk = await testFolder();
    const program = [new URL("./testing/log-until-full.ts", import.meta.url).pathname, disk];
    const child = new ServerProcess({}, smallDisk(disk, "256k"), { program });
    expect([await child.ended, child.output.trim()]).toEqual([0, "still here"]);
  });
});
