import type { RequestListener } from "node:http";
import type { EgressPolicy } from "@parley/a2a";
import type { Journal } from "@parley/journal";
import { Sessions } from "@parley/sessions";
import type { Logger } from "pino";
import type { StandingOf } from "../access/api-keys.ts";
import type { CountedAudit } from "../access/counted-audit.ts";
import type { Authenticator } from "../access/identity.ts";
import type { OidcSettings } from "../oidc-settings.ts";
import { authListener } from "./auth-routes.ts";
import { BearerAuthenticator } from "./bearer-authenticator.ts";
import { Endings } from "./endings.ts";
import { IdentityProvider } from "./identity-provider.ts";
import { LoginAuthenticator } from "./login-authenticator.ts";
import { Logins } from "./logins.ts";
import { Operators } from "./operators.ts";
import { memberTag, People } from "./people.ts";
import { isUserId } from "./people-events.ts";
import { protectedResourceListener } from "./protected-resource.ts";
import { ShareAuthenticator } from "./share-authenticator.ts";
import { Shares } from "./shares.ts";

const UPKEEP_MS = 3_600_000;

/** What people stand on. */
export interface PeopleOptions {
  readonly journal: Journal;
  readonly log: Logger;
  readonly egress: EgressPolicy;
  readonly oidc: OidcSettings | undefined;
}

/** Who there is, how they sign in, and what they share, in this process. */
export interface OpenPeople {
  readonly people: People;
  readonly shares: Shares;
  /** The ways to show who one is that are people's: bearer tokens, logins, links. */
  readonly authenticators: readonly Authenticator[];
  /** What a user of a key is in its workspace now. */
  readonly standingOf: StandingOf;
  /** Serves `/auth`, and says where tokens come from; what is not its goes to `next`. */
  listener(next: RequestListener, notes?: Pick<CountedAudit, "note">): RequestListener;
  stop(): Promise<void>;
}

/** Opens them on a journal that has `peopleTables`. */
export async function openPeople({ journal, log, egress, oidc }: PeopleOptions): Promise<OpenPeople> {
  const endings = new Endings(journal, log);
  await endings.start();
  const people = new People(journal, endings, oidc && new Operators(oidc.operators ?? [], oidc.issuer));
  const shares = new Shares(journal, new Sessions(journal), { endings, people });
  const provider = oidc && new IdentityProvider(oidc, egress);
  const logins = provider && new Logins({ journal, endings, provider, log });
  const access = { people, endings };
  const authenticators: Authenticator[] = [new ShareAuthenticator(shares)];
  if (provider && logins) {
    authenticators.push(new BearerAuthenticator(access, provider));
    authenticators.push(new LoginAuthenticator(access, logins, oidc.publicUrl));
  }
  const tidy = () =>
    logins?.upkeep().catch((error: unknown) => log.error({ err: error }, "upkeep of logins failed"));
  const upkeep = setInterval(() => void tidy(), UPKEEP_MS).unref();
  return {
    ...{ people, shares, authenticators },
    async standingOf(owner, workspace) {
      if (!isUserId(owner)) return undefined;
      // Before the look, so that an end between the two is not missed.
      const ended = endings.signal({ tags: [memberTag(workspace, owner)] });
      return { role: await people.role(workspace, owner), ended };
    },
    listener: (next, notes) =>
      authListener(
        { people, log, publicUrl: oidc?.publicUrl, provider, logins, notes },
        protectedResourceListener(oidc, next),
      ),
    async stop() {
      clearInterval(upkeep);
      await endings.stop();
    },
  };
}
