import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The account that Postgres runs as when we are root, because Postgres refuses to run as root. */
export interface UnprivilegedUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const candidates = ["postgres", "_postgres", "nobody"];

/** Finds the account to drop to, or nothing when we are not root and have no need to. */
export function unprivilegedUser(): UnprivilegedUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of candidates) {
    const uid = accountNumber("-u", name);
    const gid = accountNumber("-g", name);
    if (uid !== undefined && gid !== undefined) return { name, uid, gid };
  }
  throw new Error(`Postgres cannot run as root, and this machine has no user ${candidates.join(" or ")}.`);
}

function accountNumber(flag: "-u" | "-g", name: string): number | undefined {
  try {
    return Number(
      execFileSync("id", [flag, name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
    );
  } catch {
    return undefined;
  }
}

/** The spawn options that make a child run as this user, or as ourselves when there is none. */
export function runningAs(user: UnprivilegedUser | undefined): { uid?: number; gid?: number } {
  return user ? { uid: user.uid, gid: user.gid } : {};
}

/** Asks the kernel, as this user, whether the path may be executed (`-x`) or written (`-w`). */
export function isPermitted(user: UnprivilegedUser | undefined, access: "-x" | "-w", path: string): boolean {
  return spawnSync("test", [access, path], runningAs(user)).status === 0;
}

/** Makes an empty folder that this user owns and may remove, in the first parent where it may write. */
export function folderOwnedBy(
  user: UnprivilegedUser | undefined,
  prefix: string,
  parents: readonly string[] = [tmpdir(), "/tmp", "/var/tmp"],
): string {
  const parent = parents.find((folder) => isPermitted(user, "-w", folder));
  if (!parent)
    throw new Error(`User ${user?.name ?? process.getuid?.()} cannot write to ${parents.join(" or ")}.`);
  const folder = mkdtempSync(join(parent, prefix));
  if (user) chownSync(folder, user.uid, user.gid);
  return folder;
}
