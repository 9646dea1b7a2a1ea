import { createHash } from "node:crypto";
import type { Authenticator, Identity } from "../access/identity.ts";

/** The header with a link's token: in an address it would end up in somebody's log. */
export const SHARE_HEADER = "X-Share-Token";
const WORKSPACE = "shared";
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
    return { owner: `link_${who}`, workspace: WORKSPACE, role: "viewer", name: "a link" };
  },
};

/** Whether somebody has shown nothing but a link's token, or what they say is one. */
export function isByLink({ owner, workspace }: Pick<Identity, "owner" | "workspace">): boolean {
  return workspace === WORKSPACE && owner.startsWith("link_");
}
