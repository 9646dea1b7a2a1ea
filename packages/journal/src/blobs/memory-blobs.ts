import { type BlobReference, type BlobStore, checkHash, intact, referenceTo } from "./blob-store.ts";

/** Blobs that live as long as the process. */
export class MemoryBlobs implements BlobStore {
  readonly #contents = new Map<string, Uint8Array>();

  async put(content: Uint8Array, mediaType: string): Promise<BlobReference> {
    const reference = referenceTo(content, mediaType);
    this.#contents.set(reference.hash, content.slice());
    return reference;
  }

  async get(hash: string): Promise<Uint8Array> {
    checkHash(hash);
    return intact(hash, this.#contents.get(hash));
  }

  async delete(hash: string): Promise<void> {
    checkHash(hash);
    this.#contents.delete(hash);
  }
}
