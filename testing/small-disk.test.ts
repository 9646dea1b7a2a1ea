import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type DiskOptions, smallDisk } from "./small-disk.ts";
import { testFolder } from "./test-folder.ts";

/** Runs a shell script in a folder on a disk of 64 KiB, and tells what it printed and left behind. */
async function runOnDisk(script: string, options?: DiskOptions) {
  const folder = await testFolder();
  const [file = "", ...args] = [...smallDisk(folder, "64k", options), "sh", "-c", script, "sh", folder];
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: "utf8" });
  return { status, stdout, stderr, leftBehind: readdirSync(folder) };
}

describe.runIf(process.platform === "linux")("a small disk", () => {
  it("is full at its size, and disappears with its program", async () => {
    const ran = await runOnDisk('head -c 60000 /dev/zero >"$1/a" && head -c 60000 /dev/zero >"$1/b"');
    expect(ran).toMatchObject({ leftBehind: [], stderr: expect.stringContaining("No space left") });
    expect(ran.status).not.toBe(0);
  });

  it("does not change its program's user and exit code", async () => {
    const own = `${process.getuid?.()} ${process.getgid?.()}\n`;
    expect(await runOnDisk('echo "$(id -u) $(id -g)"; exit 7')).toMatchObject({ status: 7, stdout: own });
  });

  it("has the given contents, and rejects writes when read-only", async () => {
    const source = await testFolder({ "one/a b": "one", two: "two" });
    const contents = [join(source, "one"), join(source, "two")];
    const script = 'cat "$1/one/a b" "$1/two"; touch "$1/three"';
    expect(await runOnDisk(script, { contents })).toMatchObject({ status: 0, stdout: "onetwo" });
    const readOnly = await runOnDisk(script, { contents, readOnly: true });
    expect(readOnly).toMatchObject({ stdout: "onetwo", stderr: expect.stringContaining("Read-only") });
    expect(readOnly.status).not.toBe(0);
  });

  it("reports what is missing when it cannot be mounted", () => {
    expect(() => smallDisk("/nowhere", "64k")).toThrow(/^This test needs util-linux, and root or user .+/);
  });
});
