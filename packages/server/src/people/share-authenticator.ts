import type { Authenticator, IdentifiedRequest, Identity } from "../access/identity.ts";
import type { Shares } from "./shares.ts";

/** The header with a link's token: in an address it would end up in somebody's log. */
export const SHARE_HEADER = "X-Share-Token";
const SHARED = /^\/api\/v1\/shared(\/(events|replay|stream))?\/?$/;
const READS = new Set(["GET", "HEAD"]);

/** Whether this is a route for whoever has a link; `path` is without a query. */
export function isSharedRoute(method: string, path: string): boolean {
  return READS.has(method) && SHARED.test(path);
}

/**
 * Lets everybody ask at the routes for links, and nowhere else, as somebody who owns nothing: these routes look at the
 * token themselves. A token that opens nothing is nobody's link, so inventing tokens makes nobody anyone else.
 */
export class ShareAuthenticator implements Authenticator {
  readonly #shares: Pick<Shares, "idOf">;

  constructor(shares: Pick<Shares, "idOf">) {
    this.#shares = shares;
  }

  async identify({ url = "", method = "", headers }: IdentifiedRequest): Promise<Identity | undefined> {
    const [path = ""] = url.split("?", 1);
    if (!isSharedRoute(method, path)) return undefined;
    const link = (await this.#shares.idOf(String(headers[SHARE_HEADER.toLowerCase()] ?? ""))) ?? "";
    return { owner: link, workspace: "", role: "viewer", name: "a link", link };
  }
}
