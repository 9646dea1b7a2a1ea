import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const SHAPE = /^parley_([A-Za-z0-9_-]{8})([A-Za-z0-9_-]{43})$/;
const VISIBLE_BYTES = 6;
const SECRET_BYTES = 32;

/** A new key; the secret is shown once, and only its hash is stored. */
export interface GeneratedKey {
  readonly secret: string;
  readonly prefix: string;
  readonly hash: string;
}

/** How many random bytes a key encodes. */
export const API_KEY_BYTES = VISIBLE_BYTES + SECRET_BYTES;

/** Generates a key of 256 random bits after a public prefix, from these random bytes. */
export function generateKey(bytes: Buffer = randomBytes(API_KEY_BYTES)): GeneratedKey {
  const prefix = `parley_${bytes.subarray(0, VISIBLE_BYTES).toString("base64url")}`;
  const secret = prefix + bytes.subarray(VISIBLE_BYTES).toString("base64url");
  return { secret, prefix, hash: hashOf(secret) };
}

/** The public prefix of a key; undefined where the text is not an API key. */
export function apiKeyPrefix(text: string): string | undefined {
  const [, visible] = SHAPE.exec(text) ?? [];
  return visible === undefined ? undefined : `parley_${visible}`;
}

/** Compares a key with a hash in constant time. */
export function matchesHash(text: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(text), "hex"), Buffer.from(hash, "hex"));
}

// The key is random, so a slow hash would add no protection.
function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
