import type { RequestListener } from "node:http";
import type { Journal } from "@parley/journal";
import { AuditLog } from "./audit/audit-log.ts";
import { CountedAudit } from "./audit/counted-audit.ts";
import type { Authenticator } from "./identity.ts";
import { AccountAccess, memberRoles } from "./keys/account-access.ts";
import { apiKeyAuthenticator } from "./keys/api-key-authenticator.ts";
import type { FolderProof } from "./keys/folder-proof.ts";
import { KeyStore } from "./keys/key-store.ts";
import { authListener } from "./logins/auth-routes.ts";
import { IdentityProvider, type OidcSettings } from "./logins/identity-provider.ts";
import { bearerAuthenticator, loginAuthenticator } from "./logins/login-authenticator.ts";
import { Logins } from "./logins/logins.ts";
import { protectedResourceListener } from "./logins/protected-resource.ts";
import { Operators } from "./people/operators.ts";
import { People } from "./people/people.ts";
import { Revocations } from "./people/revocations.ts";
import type { HttpEdge, IdentityLog, ProviderFetch } from "./ports.ts";
import { shareAuthenticator } from "./shares/share-authenticator.ts";
import { type ShareableSessions, ShareLinks } from "./shares/share-links.ts";

const UPKEEP_MS = 3_600_000;

/** What identity depends on. */
export interface IdentityOptions {
  readonly journal: Journal;
  readonly log: IdentityLog;
  readonly sessions: ShareableSessions;
  readonly edge: HttpEdge;
  readonly fetchFor: (issuer: string) => ProviderFetch;
  /** Without it, nobody signs in. */
  readonly oidc?: OidcSettings | undefined;
  readonly proof?: FolderProof | undefined;
}

/** Users, keys, links and the audit log of this process, and the ways to authenticate. */
export interface OpenIdentity {
  readonly people: People;
  readonly shares: ShareLinks;
  readonly keys: KeyStore;
  readonly audit: AuditLog;
  /** For actions that anybody can repeat at will. */
  readonly notes: CountedAudit;
  /** Asked in this order. */
  readonly authenticators: readonly Authenticator[];
  /** Serves `/auth` and the metadata of the protected resource; passes other requests to `next`. */
  listener(next: RequestListener): RequestListener;
  close(): Promise<void>;
}

/** Opens identity on a journal that has `peopleTable`. */
export async function openIdentity(options: IdentityOptions): Promise<OpenIdentity> {
  const { journal, log, oidc, edge, proof } = options;
  const revocations = new Revocations(journal, log);
  await revocations.start();
  const keys = await KeyStore.open(journal, log);
  const audit = new AuditLog(journal);
  const notes = new CountedAudit(audit, log, edge.networkOf);
  const people = new People(journal, revocations, oidc && new Operators(oidc.operators ?? [], oidc.issuer));
  const roleOf = memberRoles(people, revocations);
  const access = new AccountAccess(keys, roleOf);
  const shares = new ShareLinks(journal, options.sessions, { revocations, access });
  const provider = oidc && new IdentityProvider(oidc, options.fetchFor(oidc.issuer));
  const logins = provider && new Logins({ journal, revocations, provider, log });
  const users = { people, revocations };
  const authenticators: Authenticator[] = [
    apiKeyAuthenticator(keys, roleOf),
    ...(proof ? [proof.identify] : []),
    shareAuthenticator(shares),
  ];
  if (provider && logins) {
    authenticators.push(bearerAuthenticator(users, provider));
    authenticators.push(loginAuthenticator(users, logins, oidc.publicUrl));
  }
  const tidy = () =>
    logins?.upkeep().catch((error: unknown) => log.error({ err: error }, "upkeep of logins failed"));
  const upkeep = setInterval(() => void tidy(), UPKEEP_MS).unref();
  return {
    ...{ people, shares, keys, audit, notes, authenticators },
    listener: (next) =>
      authListener(
        { people, log, edge, publicUrl: oidc?.publicUrl, provider, logins, notes },
        protectedResourceListener(oidc, edge, next),
      ),
    async close() {
      clearInterval(upkeep);
      await notes.close();
      await keys.close();
      await revocations.stop();
    },
  };
}
