import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemTool } from "@parley/testing/system-tool.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it } from "vitest";
import { Child } from "./child.ts";

/** What a process did to its files, in order: `log` and `database` written, on the disk, and a line acknowledged. */
type Deed = "log written" | "log on disk" | "database written" | "database on disk" | "acknowledged";

const WRITTEN = /pwrite64\(\d+<[^>]*journal\.db(?<log>-wal)?>/;
// A call that another thread interrupted in the trace ends on a line of its own, without its file.
const BEGUN = /(?<!\d)(?<thread>\d+) +f(?:data)?sync\((?<handle>\d+)/;
const HANDLE = /\((?<handle>\d+)<[^>]*journal\.db(?<log>-wal)?>/;
const ENDED = /(?<!\d)(?<thread>\d+) +(?:<\.\.\. )?f(?:data)?sync.*= 0$/;
const ACKNOWLEDGED = /write\(1<[^>]*>, "\[/;

/** The command line that lists what a program does to its files. */
function tracing(trace: string): string[] {
  return [systemTool("strace"), "-f", "-y", "-qq", "-e", "trace=pwrite64,fsync,fdatasync,write", "-o", trace];
}

function deedsIn(trace: string): Deed[] {
  // The name of a file is not on every line: it is looked up while the program goes on.
  const handles = new Map<string, "log" | "database">();
  const syncing = new Map<string, "log" | "database" | undefined>();
  return trace.split("\n").flatMap((line): Deed[] => {
    const named = HANDLE.exec(line)?.groups;
    if (named) handles.set(named.handle ?? "", named.log ? "log" : "database");
    const written = WRITTEN.exec(line);
    if (written) return [written.groups?.log ? "log written" : "database written"];
    if (ACKNOWLEDGED.test(line)) return ["acknowledged"];
    const begun = BEGUN.exec(line)?.groups;
    if (begun) syncing.set(begun.thread ?? "", handles.get(begun.handle ?? ""));
    const file = syncing.get(ENDED.exec(line)?.groups?.thread ?? "");
    return file === undefined ? [] : [`${file} on disk`];
  });
}

it("invariants 1 and 18: SQLite acknowledges nothing, and copies and overwrites nothing, before the disk has it", async () => {
  const folder = await testFolder();
  const trace = join(await testFolder(), "trace");
  const child = new Child("append-one-by-one.ts", { where: { folder } }, tracing(trace));
  await child.printed(1_100);
  await child.kill();

  const unsynced = { log: false, database: false };
  const counts = { acknowledged: 0, "database on disk": 0 };
  const deeds = deedsIn(await readFile(trace, "utf8"));
  for (const deed of deeds.slice(deeds.indexOf("acknowledged") + 1)) {
    if (deed === "acknowledged" || deed === "database written") expect(unsynced.log, deed).toBe(false);
    if (deed === "log written") expect(unsynced.database, deed).toBe(false);
    if (deed === "log written" || deed === "log on disk") unsynced.log = deed === "log written";
    if (deed === "database written" || deed === "database on disk")
      unsynced.database = deed === "database written";
    if (deed in counts) counts[deed as keyof typeof counts]++;
  }
  expect(counts.acknowledged).toBeGreaterThan(1_000);
  expect(counts["database on disk"]).toBeGreaterThan(0);
});
