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
  /** Stores the content durably. */
  put(content: Uint8Array, mediaType: string): Promise<BlobReference>;
  /** The content, checked against its hash; throws `BlobMissingError` if it is not there or was damaged. */
  get(hash: string): Promise<Uint8Array>;
  /** Removes the content; that there is none is no error. */
  delete(hash: string): Promise<void>;
}

/** Content that has come in and is not stored yet; disposing of it before it is kept removes it. */
export interface IncomingBlob extends AsyncDisposable {
  readonly hash: string;
  readonly size: number;
  /** Stores it durably under its hash. */
  keep(mediaType: string): Promise<BlobReference>;
}

/** A store that takes content as it comes: of what breaks off before its end, nothing is kept. */
export interface ReceivingBlobStore extends BlobStore {
  receive(content: AsyncIterable<Uint8Array>): Promise<IncomingBlob>;
}

/** The reference under which this content is stored. */
export function referenceTo(content: Uint8Array, mediaType: string): BlobReference {
  return { hash: createHash("sha256").update(content).digest("hex"), size: content.byteLength, mediaType };
}

/** Refuses what cannot be a hash, so that no request reaches another file. */
export function checkHash(hash: string): void {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new BlobMissingError(String(hash).slice(0, 80), "invalid");
}

/** Returns the content if it is there and intact. */
export function intact(hash: string, content: Uint8Array | undefined): Uint8Array {
  if (!content) throw new BlobMissingError(hash, "missing");
  if (referenceTo(content, "").hash !== hash) throw new BlobMissingError(hash, "damaged");
  return content;
}
