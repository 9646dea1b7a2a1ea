import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { DiskFullError, isSystemError } from "../errors.ts";

/** Received content, on the disk and never whole in memory; disposing of it removes the file if it is still there. */
export interface DraftFile extends AsyncDisposable {
  readonly path: string;
  readonly file: FileHandle;
  /** SHA-256 of the content, in hex. */
  readonly hash: string;
  readonly size: number;
}

/** Writes the content to a new file in the folder; if it breaks off, no file remains. */
export async function writeDraft(
  folder: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { isNameless = false }: { readonly isNameless?: boolean } = {},
): Promise<DraftFile> {
  const path = join(folder, randomUUID());
  await mkdir(folder, { recursive: true });
  const file = await open(path, "wx+", 0o600);
  await using begun = new AsyncDisposableStack();
  begun.defer(() => rm(path, { force: true }));
  begun.defer(() => file.close());
  // A file without a name is gone with its process, however that ends.
  if (isNameless) await rm(path, { force: true });
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of content) {
    hash.update(piece);
    size += piece.byteLength;
    await file.appendFile(piece);
  }
  const whole = begun.move();
  return { path, file, size, hash: hash.digest("hex"), [Symbol.asyncDispose]: () => whole.disposeAsync() };
}

/** The result of the write; a full disk becomes a `DiskFullError`. */
export async function onDisk<Result>(place: string, writing: Promise<Result>): Promise<Result> {
  return writing.catch((error: unknown) => {
    throw isSystemError(error, "ENOSPC", "EDQUOT") ? new DiskFullError(place, error) : error;
  });
}
