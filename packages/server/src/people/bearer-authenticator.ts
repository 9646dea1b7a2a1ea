import { createHash } from "node:crypto";
import type { Authenticator, Identity } from "../access/identity.ts";
import { identityOf, type UserAccess } from "./chosen-workspace.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import { userIdOf } from "./people-events.ts";

/** API keys are bearer tokens too, and have a way of their own. */
const API_KEY = "parley_";

/** Identifies by the access tokens of an OpenID provider: `Authorization: Bearer`. */
export class BearerAuthenticator implements Authenticator {
  readonly #access: UserAccess;
  readonly #provider: Pick<IdentityProvider, "verify">;

  constructor(access: UserAccess, provider: Pick<IdentityProvider, "verify">) {
    this.#access = access;
    this.#provider = provider;
  }

  async identify({ headers }: Parameters<Authenticator["identify"]>[0]): Promise<Identity | undefined> {
    const [, token] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
    if (token === undefined || token.startsWith(API_KEY)) return undefined;
    const { profile, until } = await this.#provider.verify(token);
    const { people } = this.#access;
    // Access tokens say little of people: what a login said of them stays.
    const user = (await people.user(userIdOf(profile))) ?? (await people.known(profile));
    const tag = `token/${createHash("sha256").update(token).digest("base64url").slice(0, 22)}`;
    return identityOf(this.#access, user, headers, { tags: [tag], until });
  }
}
