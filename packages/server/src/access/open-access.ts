import { join } from "node:path";
import { loadOrCreateKey } from "@parley/a2a";
import type { Configuration } from "../configuration.ts";
import type { Foundation } from "../foundation.ts";
import { resourceMetadata } from "../people/protected-resource.ts";
import { Access } from "./access.ts";
import { ApiKeys } from "./api-keys.ts";
import { AuditLog } from "./audit-log.ts";
import type { Authenticator } from "./identity.ts";
import { InternalKey, SECURITY } from "./internal-key.ts";
import { KeyBook } from "./key-book.ts";

/** All that decides who may do what here, and what is noted of it. */
export interface OpenedAccess {
  readonly access: Access;
  readonly keys: KeyBook;
  readonly audit: AuditLog;
  /** By which our own agents know us; undefined: they take anybody's calls. */
  readonly internal: InternalKey | undefined;
  /** What cards say about it. */
  readonly security: typeof SECURITY | undefined;
  close(): Promise<void>;
}

/** Opens the keys and what asks for them; further ways to show who one is come after API keys. */
export async function openAccess(
  { dataFolder, admission, oidc }: Configuration,
  { journal, log }: Foundation,
  others: readonly Authenticator[] = [],
): Promise<OpenedAccess> {
  const { isRequired } = admission;
  const keys = await KeyBook.open(journal, log);
  const metadata = resourceMetadata(oidc);
  const access = new Access({
    authenticators: [new ApiKeys(keys), ...others],
    isRequired,
    ...(oidc && { provider: new URL(oidc.issuer).host }),
    ...(metadata && { resourceMetadata: metadata }),
    report: (error) => log.error({ err: error }, "it could not be told who sends a request"),
  });
  const internal = isRequired
    ? new InternalKey(await loadOrCreateKey(join(dataFolder, "internal.key")))
    : undefined;
  const security = isRequired ? SECURITY : undefined;
  return { access, keys, internal, security, audit: new AuditLog(journal), close: () => keys.close() };
}
