import { readdirSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { testFolder } from "@parley/testing/test-folder.ts";
import { type PackedFiles, readPacked, unpackFiles } from "./packed-files.ts";

const MODULES = resolve(import.meta.dirname, "../../../node_modules");

/**
 * Unpacks the sources of the old node for this test and returns its program. It has the dependencies of today, and its
 * own `@parley` packages: a tree of its own, because Node runs TypeScript only outside of `node_modules`.
 */
export async function oldNodeProgram(): Promise<string> {
  const files = readPacked<PackedFiles>(join(import.meta.dirname, "../old-node.json.br"));
  const root = await testFolder();
  await unpackFiles(files, root);
  await mkdir(join(root, "node_modules/@parley"), { recursive: true });
  for (const name of readdirSync(MODULES).filter((each) => each !== "@parley"))
    await symlink(join(MODULES, name), join(root, "node_modules", name));
  for (const name of readdirSync(join(root, "packages")))
    await symlink(join(root, "packages", name), join(root, "node_modules/@parley", name));
  return join(root, "packages/server/src/main.ts");
}
