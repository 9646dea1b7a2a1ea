import { createReadStream } from "node:fs";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BlobMissingError, isSystemError } from "../errors.ts";
import {
  type BlobReference,
  CheckedBlobs,
  type IncomingBlob,
  type ReceivingBlobStore,
} from "./blob-store.ts";
import { type DraftFile, onDisk, writeDraft } from "./draft-file.ts";

const INCOMING = "incoming";

/** Blobs as files in a folder, named by their hash. */
export class FileBlobs extends CheckedBlobs implements ReceivingBlobStore {
  readonly #folder: string;

  constructor(folder: string) {
    super();
    this.#folder = folder;
  }

  /** Removes what a killed process had begun to receive; only the folder's owner may call it. */
  async removeIncoming(): Promise<void> {
    await rm(join(this.#folder, INCOMING), { recursive: true, force: true });
  }

  async receive(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<IncomingBlob> {
    const draft = await onDisk(this.#folder, writeDraft(join(this.#folder, INCOMING), content));
    const { hash, size } = draft;
    const keep = async (mediaType: string) => {
      if (!(await this.#hasIntact(hash))) await onDisk(this.#folder, keepAs(this.#path(hash), draft));
      return { hash, size, mediaType };
    };
    return { ...draft, keep };
  }

  protected async store(content: Uint8Array, { hash, mediaType }: BlobReference): Promise<void> {
    if (await this.#hasIntact(hash)) return;
    await using incoming = await this.receive([content]);
    await incoming.keep(mediaType);
  }

  protected async find(hash: string): Promise<Uint8Array | undefined> {
    return readFile(this.#path(hash)).catch((error: unknown) => {
      if (isSystemError(error, "ENOENT")) return undefined;
      throw error;
    });
  }

  protected override async *pieces(hash: string): AsyncGenerator<Uint8Array, void> {
    try {
      yield* createReadStream(this.#path(hash));
    } catch (error) {
      throw isSystemError(error, "ENOENT") ? new BlobMissingError(hash, "missing") : error;
    }
  }

  protected async remove(hash: string): Promise<void> {
    await rm(this.#path(hash), { force: true });
  }

  /** What is there counts only if it is intact: a damaged blob is replaced. */
  #hasIntact(hash: string): Promise<boolean> {
    const reading = this.read(hash);
    return reading.next().then(
      () => reading.return().then(() => true),
      () => false,
    );
  }

  // A folder for each first byte keeps folders small.
  #path(hash: string): string {
    return join(this.#folder, hash.slice(0, 2), hash);
  }
}

// Written under another name and renamed: a crash leaves a whole file or none.
async function keepAs(path: string, draft: DraftFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await draft.file.sync();
  await rename(draft.path, path);
  // The folder entries on the way to it must survive a power cut too.
  for (let folder = dirname(path), levels = 3; levels > 0; folder = dirname(folder), levels--) {
    await using names = await open(folder, "r");
    await names.sync();
  }
}
