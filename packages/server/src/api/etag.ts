import type { SessionState } from "@parley/sessions";
import type { Context } from "hono";

/** Sets the session's ETag, and says whether the client has just that; asked again each time, never taken from a cache unasked. */
export function notModified(context: Context, { id, index }: Pick<SessionState, "id" | "index">): boolean {
  const etag = `"${Buffer.from(id).toString("base64url")}.${index}"`;
  context.header("ETag", etag);
  context.header("Cache-Control", "private, no-cache");
  const known = context.req.header("If-None-Match") ?? "";
  return known.trim() === "*" || known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
