import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { folderOwnedBy, unprivilegedUser } from "./postgres/unprivileged-user.ts";

/** Makes a fresh folder with these files (path → content) and removes it when the test ends. */
export async function testFolder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const root = removedAfterTest(await mkdtemp(join(tmpdir(), "parley-test-")));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

/** Makes a fresh folder in which a test's own Postgres may write, and removes it when the test ends. */
export function postgresTestFolder(): string {
  return removedAfterTest(folderOwnedBy(unprivilegedUser(), "parley-test-"));
}

function removedAfterTest(folder: string): string {
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
