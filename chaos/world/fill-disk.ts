import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Leaves no byte on this disk; what is returned gives the room back. */
export function fillDisk(disk: string): () => void {
  const path = join(disk, "ballast");
  const file = openSync(path, "w");
  for (let size = 1_048_576; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
  closeSync(file);
  return () => rmSync(path, { force: true });
}
