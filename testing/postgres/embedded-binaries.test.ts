import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../test-folder.ts";
import { findBinaries } from "./binaries.ts";
import { embeddedBinaries, restoreSymlinks } from "./embedded-binaries.ts";
import { mirrorTree } from "./mirror-tree.ts";

it("embedded binaries run even if npm ran no install script", async () => {
  const unpacked = await testFolder();
  const native = join(unpacked, "native");
  mirrorTree(dirname(findBinaries("embedded")), native, undefined);
  for (const entry of readdirSync(join(native, "lib"), { withFileTypes: true })) {
    if (entry.isSymbolicLink()) rmSync(join(entry.parentPath, entry.name));
  }
  const version = () => spawnSync(join(native, "bin", "postgres"), ["--version"]).status;
  expect(version()).not.toBe(0);
  restoreSymlinks(unpacked);
  restoreSymlinks(unpacked);
  expect(version()).toBe(0);
});

it("a platform without a package has no embedded binaries", () => {
  expect(embeddedBinaries("plan9-mips")).toBeUndefined();
});
