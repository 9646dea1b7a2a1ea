import { createHash } from "node:crypto";
import type { CardDocument } from "./canonical-card.ts";

/** A card as bytes, with the headers that go with them. */
export interface ServedCard {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** Strong: the same tag means the same bytes. */
  readonly etag: string;
}

/** Anybody may keep a public card for five minutes; the one for authenticated callers only they themselves. */
const cacheControl = {
  public: "public, max-age=300",
  extended: "private, no-cache",
} as const;

/** Makes the bytes once, so that every request gets the same ones. */
export function servedCard(
  document: CardDocument,
  audience: keyof typeof cacheControl = "public",
): ServedCard {
  const body = new TextEncoder().encode(JSON.stringify(document));
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  const headers = {
    "content-type": "application/json",
    "content-length": String(body.byteLength),
    "cache-control": cacheControl[audience],
    etag,
    // A card for one caller must never be given to the next by a cache that knows no better.
    ...(audience === "extended" ? { vary: "Authorization" } : {}),
  };
  return { body, headers, etag };
}

/** Whether `If-None-Match` names this tag, so that 304 is the answer; compared weakly, as RFC 9110 has it for GET. */
export function isUnchanged(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (ifNoneMatch === null || ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
