import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { smallDisk } from "@parley/testing/small-disk.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it } from "vitest";
import { ServerProcess } from "./testing/server-process.ts";

/** Leaves no byte. */
function fill(path: string): void {
  const file = openSync(path, "w");
  for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch (error) {
      expect(error).toMatchObject({ code: "ENOSPC" });
    }
  }
  closeSync(file);
}

it("a node that cannot commit is alive and not ready, until it can (invariant 18)", {
  timeout: 180_000,
}, async () => {
  const data = await testFolder();
  const server = new ServerProcess({ PARLEY_DATA: data, PARLEY_LOG: "fatal" }, smallDisk(data, "8m"));
  const url = await server.url();
  const status = async (path: string) => (await fetch(url + path)).status;
  await expect.poll(() => status("/readyz"), { timeout: 60_000 }).toBe(200);
  // The disk is the process's own: others reach it through it.
  const ballast = join(`/proc/${server.child.pid}/root`, data, "ballast");
  fill(ballast);
  await expect.poll(() => status("/readyz"), { timeout: 60_000 }).toBe(503);
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ checks: { journal: false } });
  expect(await status("/healthz")).toBe(200);
  rmSync(ballast);
  await expect.poll(() => status("/readyz"), { timeout: 60_000 }).toBe(200);
});
