/**
 * The command line to put before a program so that it finds this folder on a file system of its own, as
 * small as this. Only that program and its children see it, and it goes with them. Linux only.
 */
export function smallDisk(folder: string, size: string): string[] {
  const namespace = process.getuid?.() === 0 ? "-m" : "-rm";
  const script = 'mount -t tmpfs -o "size=$2" tmpfs "$1" && shift 2 && exec "$@"';
  return ["unshare", namespace, "sh", "-c", script, "small-disk", folder, size];
}
