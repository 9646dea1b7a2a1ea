import { createHash } from "node:crypto";
import type { Authenticator, Identity } from "../access/identity.ts";

/** The header with a link's token: in an address it would end up in somebody's log. */
export const SHARE_HEADER = "X-Share-Token";
const SHARED = /^\/api\/v1\/shared(\/|\?|$)/;

/**
 * Lets everybody ask for what is shared, as somebody who owns nothing: the routes there look at the token themselves,
 * and whatever else such a caller asks for is not there.
 */
export const shareAuthenticator: Authenticator = {
  async identify({ url = "", headers }): Promise<Identity | undefined> {
    if (!SHARED.test(url)) return undefined;
    const token = String(headers[SHARE_HEADER.toLowerCase()] ?? "");
    const who = createHash("sha256").update(token).digest("base64url").slice(0, 22);
    return { owner: `link_${who}`, workspace: "shared", role: "viewer", name: "a link" };
  },
};
