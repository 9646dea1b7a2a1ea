import { buffer } from "node:stream/consumers";
import {
  type BlobReference,
  CheckedBlobs,
  type IncomingBlob,
  type ReceivingBlobStore,
  referenceTo,
} from "./blob-store.ts";

/** Blobs that live as long as the process. */
export class MemoryBlobs extends CheckedBlobs implements ReceivingBlobStore {
  readonly #contents = new Map<string, Uint8Array>();

  async receive(content: AsyncIterable<Uint8Array>): Promise<IncomingBlob> {
    const whole = await buffer(content);
    const { hash, size } = referenceTo(whole, "");
    return { hash, size, keep: (mediaType) => this.put(whole, mediaType), async [Symbol.asyncDispose]() {} };
  }

  protected async store(content: Uint8Array, { hash }: BlobReference): Promise<void> {
    this.#contents.set(hash, content.slice());
  }

  protected async find(hash: string): Promise<Uint8Array | undefined> {
    return this.#contents.get(hash);
  }

  protected async remove(hash: string): Promise<void> {
    this.#contents.delete(hash);
  }
}
