import { BlobMissingError } from "../errors.ts";
import type { BlobReference, BlobStore } from "./blob-store.ts";

/** Blobs that go to a new place from now on; those that are still in the old one are found there. */
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
      // What is damaged here and missing there was damaged.
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
