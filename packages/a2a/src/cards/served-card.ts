import { createHash } from "node:crypto";
import type { CardDocument } from "./canonical-card.ts";

/** A card as bytes, with the headers that go with them. */
export interface ServedCard {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** Strong: the same tag means the same bytes. */
  readonly etag: string;
}

/** Makes the bytes once, so that every request gets the same ones; anybody may keep them for five minutes. */
export function servedCard(document: CardDocument): ServedCard {
  const body = new TextEncoder().encode(JSON.stringify(document));
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  const headers = {
    "content-type": "application/json",
    "content-length": String(body.byteLength),
    "cache-control": "public, max-age=300",
    etag,
  };
  return { body, headers, etag };
}

/** Whether `If-None-Match` names this tag, so that 304 is the answer; compared weakly, as RFC 9110 has it for GET. */
export function isUnchanged(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (ifNoneMatch === null || ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
