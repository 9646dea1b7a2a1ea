import { createHash } from "node:crypto";
import { BlobMissingError } from "../errors.ts";

/** Content above this size does not belong into an event. */
export const BLOB_THRESHOLD_BYTES = 256 * 1_024;

/** What an event carries in place of large content. */
export interface BlobReference {
  /** SHA-256 of the content, in hex. */
  readonly hash: string;
  readonly size: number;
  readonly mediaType: string;
}

/** Content found by its hash; the same content is stored once. */
export interface BlobStore {
  put(content: Uint8Array, mediaType: string): Promise<BlobReference>;
  /** The content, checked against its hash; throws `BlobMissingError` if it is not there or was damaged. */
  get(hash: string): Promise<Uint8Array>;
  /** Removes the content; that there is none is no error. */
  delete(hash: string): Promise<void>;
}

/** Received content that is not stored yet; disposing of it before it is kept removes it. */
export interface IncomingBlob extends AsyncDisposable {
  readonly hash: string;
  readonly size: number;
  /** Stores it durably under its hash. */
  keep(mediaType: string): Promise<BlobReference>;
}

/** A store that receives content as a stream; of one that breaks off, nothing is kept. */
export interface ReceivingBlobStore extends BlobStore {
  receive(content: AsyncIterable<Uint8Array>): Promise<IncomingBlob>;
  /** The content in pieces, for slow readers; all are checked against the hash before the first one comes. */
  read(hash: string): AsyncGenerator<Uint8Array, void>;
}

export function referenceTo(content: Uint8Array, mediaType: string): BlobReference {
  return { hash: createHash("sha256").update(content).digest("hex"), size: content.byteLength, mediaType };
}

/** What every store has in common: it refuses invalid hashes, and returns only intact content. */
export abstract class CheckedBlobs implements BlobStore {
  async put(content: Uint8Array, mediaType: string): Promise<BlobReference> {
    const reference = referenceTo(content, mediaType);
    await this.store(content, reference);
    return reference;
  }

  async get(hash: string): Promise<Uint8Array> {
    checkHash(hash);
    const content = await this.find(hash);
    if (!content) throw new BlobMissingError(hash, "missing");
    if (referenceTo(content, "").hash !== hash) throw new BlobMissingError(hash, "damaged");
    return content;
  }

  async *read(hash: string): AsyncGenerator<Uint8Array, void> {
    checkHash(hash);
    const digest = createHash("sha256");
    for await (const piece of this.pieces(hash)) digest.update(piece);
    if (digest.digest("hex") !== hash) throw new BlobMissingError(hash, "damaged");
    yield* this.pieces(hash);
  }

  async delete(hash: string): Promise<void> {
    checkHash(hash);
    await this.remove(hash);
  }

  /** Overridden by stores whose blobs should not be read into memory whole. */
  protected async *pieces(hash: string): AsyncGenerator<Uint8Array, void> {
    const content = await this.find(hash);
    if (!content) throw new BlobMissingError(hash, "missing");
    yield content;
  }

  protected abstract store(content: Uint8Array, reference: BlobReference): Promise<void>;
  protected abstract find(hash: string): Promise<Uint8Array | undefined>;
  protected abstract remove(hash: string): Promise<void>;
}

// Prevents path traversal: no request may reach another file by its "hash".
function checkHash(hash: string): void {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new BlobMissingError(String(hash).slice(0, 80), "invalid");
}
