import type { Authenticator } from "../identity.ts";
import type { ShareLinks } from "./share-links.ts";

/** Carries a link's token: in a URL it would end up in logs. */
export const SHARE_HEADER = "X-Share-Token";
const SHARED = /^\/api\/v1\/shared(\/(events|replay|stream))?\/?$/;
const READS = new Set(["GET", "HEAD"]);

/** Whether this route serves share links; `path` has no query. */
export function isSharedRoute(method: string, path: string): boolean {
  return READS.has(method) && SHARED.test(path);
}

/**
 * Gives requests on the routes for share links, and only on those, an identity that owns nothing; these routes check the
 * token themselves. All invalid tokens share one identity, so inventing tokens gains no extra quota.
 */
export function shareAuthenticator(shares: Pick<ShareLinks, "idOf">): Authenticator {
  return async ({ url = "", method = "", headers }) => {
    const [path = ""] = url.split("?", 1);
    if (!isSharedRoute(method, path)) return undefined;
    const link = (await shares.idOf(String(headers[SHARE_HEADER.toLowerCase()] ?? ""))) ?? "";
    return { owner: link, workspace: "", role: "viewer", name: "a link", link };
  };
}
