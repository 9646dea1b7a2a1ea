import { BlobMissingError } from "../errors.ts";
import type { BlobReference, BlobStore } from "./blob-store.ts";

/** Blobs that are written to a new store; those still in the old one are found there. */
export class MovedBlobs implements BlobStore {
  readonly #here: BlobStore;
  readonly #before: BlobStore;

  constructor(here: BlobStore, before: BlobStore) {
    this.#here = here;
    this.#before = before;
  }

  put(content: Uint8Array, mediaType: string): Promise<BlobReference> {
    return this.#here.put(content, mediaType);
  }

  async get(hash: string): Promise<Uint8Array> {
    try {
      return await this.#here.get(hash);
    } catch (error) {
      if (!(error instanceof BlobMissingError)) throw error;
      // If it is missing in the old store too, the first error is the right one.
      return this.#before.get(hash).catch(() => {
        throw error;
      });
    }
  }

  async delete(hash: string): Promise<void> {
    await this.#here.delete(hash);
    await this.#before.delete(hash);
  }
}
