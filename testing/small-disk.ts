import { spawnSync } from "node:child_process";

/** What a disk is like beyond its size. */
export interface DiskOptions {
  /** Folders and files to put on it before the program starts. */
  readonly contents?: readonly string[];
  /** Takes no writes, once it has its contents. */
  readonly readOnly?: boolean;
}

const mount = 'mount -t tmpfs -o "size=$2" tmpfs "$1"';

/**
 * The command line to put before a program so that it finds this folder on a file system of its own, as
 * small as this. Only that program and its children see it, and it goes with them. Linux only.
 */
export function smallDisk(folder: string, size: string, options: DiskOptions = {}): string[] {
  const { contents = [], readOnly = false } = options;
  const namespace = ["unshare", isRoot() ? "-m" : "-rm", "sh", "-c"];
  requireMount([...namespace, mount, "small-disk", folder, size]);
  const script = [
    `set -e; ${mount}; disk=$1 count=$3; shift 3`,
    'while [ "$count" -gt 0 ]; do cp -R "$1" "$disk"; shift; count=$((count - 1)); done',
    // In a user namespace the file system itself cannot be remounted, only its place in the tree.
    readOnly ? 'mount -o remount,bind,ro "$disk"' : "",
    `exec ${asOurselves()} "$@"`,
  ].join("\n");
  return [...namespace, script, "small-disk", folder, size, String(contents.length), ...contents];
}

/** Only the root of a namespace may mount there, but the program must not take itself for root. */
function asOurselves(): string {
  return isRoot() ? "" : `unshare --map-user=${process.getuid?.()} --map-group=${process.getgid?.()}`;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function requireMount([file = "", ...args]: readonly string[]): void {
  const { status, error, stderr } = spawnSync(file, args, { encoding: "utf8" });
  if (status === 0) return;
  const reason = error?.message ?? stderr.trim();
  throw new Error(`This test needs util-linux, and root or user namespaces, to mount a disk: ${reason}`);
}
