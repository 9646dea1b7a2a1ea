import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DiskFullError } from "../errors.ts";
import {
  type BlobReference,
  checkHash,
  type IncomingBlob,
  intact,
  type ReceivingBlobStore,
  referenceTo,
} from "./blob-store.ts";
import { DraftFile, hasCode } from "./draft-file.ts";

const INCOMING = "incoming";

/** Blobs as files in a folder, named by their hash. */
export class FileBlobs implements ReceivingBlobStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Removes what a process that was killed had begun to receive: for the folder's only owner. */
  async removeIncoming(): Promise<void> {
    await rm(join(this.#folder, INCOMING), { recursive: true, force: true });
  }

  async receive(content: AsyncIterable<Uint8Array>): Promise<IncomingBlob> {
    const draft = await DraftFile.write(join(this.#folder, INCOMING), content);
    const { hash, size } = draft;
    const path = this.#path(hash);
    return {
      ...{ hash, size, [Symbol.asyncDispose]: () => draft[Symbol.asyncDispose]() },
      keep: async (mediaType) => {
        if (!(await this.get(hash).catch(() => undefined))) {
          await mkdir(dirname(path), { recursive: true });
          await draft.file.sync();
          await rename(draft.path, path);
          await syncNames(path);
        }
        return { hash, size, mediaType };
      },
    };
  }

  async put(content: Uint8Array, mediaType: string): Promise<BlobReference> {
    const reference = referenceTo(content, mediaType);
    const path = this.#path(reference.hash);
    // What is there counts only if it is intact: a damaged blob is replaced.
    if (await this.get(reference.hash).catch(() => undefined)) return reference;
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeDurably(path, content);
    } catch (error) {
      if (hasCode(error, "ENOSPC", "EDQUOT")) throw new DiskFullError(path, error);
      throw error;
    }
    return reference;
  }

  async get(hash: string): Promise<Uint8Array> {
    checkHash(hash);
    const content = await readFile(this.#path(hash)).catch((error: unknown) => {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    });
    return intact(hash, content);
  }

  async delete(hash: string): Promise<void> {
    checkHash(hash);
    await rm(this.#path(hash), { force: true });
  }

  // A folder for each first byte keeps folders small.
  #path(hash: string): string {
    return join(this.#folder, hash.slice(0, 2), hash);
  }
}

// Written aside and renamed: a crash leaves the whole file or none, and its name survives with it.
async function writeDurably(path: string, content: Uint8Array): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await syncedTo(draft, "wx", (file) => file.writeFile(content));
    await rename(draft, path);
    await syncNames(path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

// The names on the way to it must survive as well: its folder's, and that folder's folder's.
async function syncNames(path: string): Promise<void> {
  for (let folder = dirname(path), levels = 3; levels > 0; folder = dirname(folder), levels--) {
    await syncedTo(folder, "r", async () => {});
  }
}

async function syncedTo(
  path: string,
  flags: "wx" | "r",
  write: (file: Awaited<ReturnType<typeof open>>) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags);
  try {
    await write(file);
    await file.sync();
  } finally {
    await file.close();
  }
}
