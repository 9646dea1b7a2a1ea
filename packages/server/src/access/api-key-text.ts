import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const SHAPE = /^parley_([A-Za-z0-9_-]{8})([A-Za-z0-9_-]{43})$/;
const VISIBLE_BYTES = 6;
const SECRET_BYTES = 32;

/** A key as it is made: shown once, and then known only by its hash. */
export interface NewKey {
  readonly secret: string;
  readonly prefix: string;
  readonly hash: string;
}

/** How many random bytes a key is made of. */
export const KEY_BYTES = VISIBLE_BYTES + SECRET_BYTES;

/** Makes a key of 256 random bits behind a prefix that may be shown; of other random bytes than fresh ones, where they are given. */
export function newKey(bytes: Buffer = randomBytes(KEY_BYTES)): NewKey {
  const prefix = `parley_${bytes.subarray(0, VISIBLE_BYTES).toString("base64url")}`;
  const secret = prefix + bytes.subarray(VISIBLE_BYTES).toString("base64url");
  return { secret, prefix, hash: hashOf(secret) };
}

/** The part of a key that may be shown; undefined: this is no key of ours. */
export function prefixOf(text: string): string | undefined {
  const [, visible] = SHAPE.exec(text) ?? [];
  return visible === undefined ? undefined : `parley_${visible}`;
}

/** Whether this is the key of that hash, in a time that does not tell how much of it is right. */
export function isKeyOf(text: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(text), "hex"), Buffer.from(hash, "hex"));
}

// The key is random, so a slow hash would protect nothing more.
function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
