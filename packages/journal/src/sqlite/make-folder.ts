import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder that only its owner can enter, and the ones above it. Not by `recursive`, with which
 * Node never returns from places like /proc, where nothing can be made.
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const isRoot = dirname(path) === path;
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || isRoot || isFolder(dirname(path))) throw error;
    makeFolder(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
