import {
  chownSync,
  copyFileSync,
  type Dirent,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import type { UnprivilegedUser } from "./unprivileged-user.ts";

/** Repeats a folder's content at another place, such that this user can read and remove it, by hard links where it can. */
export function mirrorTree(source: string, target: string, user: UnprivilegedUser | undefined): void {
  mkdirSync(target, { recursive: true });
  give(target, user);
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    mirrorEntry(entry, join(target, entry.name), user);
  }
}

function mirrorEntry(entry: Dirent, target: string, user: UnprivilegedUser | undefined): void {
  const source = join(entry.parentPath, entry.name);
  if (entry.isDirectory()) mirrorTree(source, target, user);
  else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
  else if (!isLinked(source, target)) {
    copyFileSync(source, target);
    give(target, user);
  }
}

// A link shares its owner and mode with the original, so it only serves where everybody may read that.
function isLinked(source: string, target: string): boolean {
  if ((statSync(source).mode & 0o004) === 0) return false;
  try {
    linkSync(source, target);
    return true;
  } catch {
    // Another file system, or one without links: the caller copies, and reports what then goes wrong.
    return false;
  }
}

function give(path: string, user: UnprivilegedUser | undefined): void {
  if (user) chownSync(path, user.uid, user.gid);
}
