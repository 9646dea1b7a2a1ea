import { rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { mirrorTree } from "./mirror-tree.ts";
import { folderOwnedBy, isPermitted, type UnprivilegedUser } from "./unprivileged-user.ts";

/** Returns programs that this user may run: the found ones, or a copy when they lie where it cannot reach. */
export function reachableBinaries(
  found: string,
  user: UnprivilegedUser | undefined,
): { binaries: string; copy?: string } {
  if (!user || isPermitted(user, "-x", join(found, "postgres"))) return { binaries: found };
  const copy = folderOwnedBy(user, "parley-postgres-binaries-");
  try {
    mirrorTree(dirname(found), copy, user);
  } catch (error) {
    rmSync(copy, { recursive: true, force: true });
    throw error;
  }
  return { binaries: join(copy, basename(found)), copy };
}
