import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** The repository's root, and what the web client is built from, relative to it. */
const ROOT = join(import.meta.dirname, "../../..");
const SOURCES = ["packages/web/src", "packages/web/build", "packages/client/src"];
const FILES = ["packages/web/index.html", "packages/web/package.json", "package-lock.json"];

/** A name for exactly these sources and packages: what was built under it need not be built again. */
export async function webClientStamp(): Promise<string> {
  const found = await Promise.all(SOURCES.map((folder) => filesBelow(join(ROOT, folder))));
  const files = [...found.flat().filter(isBuilt), ...FILES.map((file) => join(ROOT, file))].sort();
  const hash = createHash("sha256");
  for (const file of files) {
    hash.update(relative(ROOT, file).split(sep).join("/")).update("\0");
    hash.update(await readFile(file)).update("\0");
  }
  return hash.digest("hex").slice(0, 20);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Tests change nothing that is served. */
function isBuilt(file: string): boolean {
  return !/\.test\.tsx?$/.test(file) && !file.includes(`${sep}testing${sep}`);
}
