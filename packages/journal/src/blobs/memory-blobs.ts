import {
  type BlobReference,
  checkHash,
  type IncomingBlob,
  intact,
  type ReceivingBlobStore,
  referenceTo,
} from "./blob-store.ts";

/** Blobs that live as long as the process. */
export class MemoryBlobs implements ReceivingBlobStore {
  readonly #contents = new Map<string, Uint8Array>();

  async receive(content: AsyncIterable<Uint8Array>): Promise<IncomingBlob> {
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    const whole = Buffer.concat(pieces);
    const { hash, size } = referenceTo(whole, "");
    return { hash, size, keep: (mediaType) => this.put(whole, mediaType), async [Symbol.asyncDispose]() {} };
  }

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
