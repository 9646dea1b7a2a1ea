import { join } from "node:path";
import { loadOrCreateKey } from "@parley/a2a";
import { KeyedCommands } from "../api/keyed-commands.ts";
import { RequestRates, requestLimits } from "../api/request-rates.ts";
import type { Configuration } from "../configuration.ts";
import type { Foundation } from "../foundation.ts";
import { resourceMetadata } from "../people/protected-resource.ts";
import { Access } from "./access.ts";
import { ApiKeys, type StandingOf } from "./api-keys.ts";
import { AuditLog } from "./audit-log.ts";
import { CountedAudit } from "./counted-audit.ts";
import type { Authenticator } from "./identity.ts";
import { InternalKeys, SECURITY } from "./internal-key.ts";
import { KeyBook } from "./key-book.ts";

/** All that decides who may do what here, and what is noted of it. */
export interface OpenedAccess {
  readonly access: Access;
  readonly keys: KeyBook;
  readonly audit: AuditLog;
  readonly notes: CountedAudit;
  readonly commands: KeyedCommands;
  /** By which our own agents know us; undefined: they take anybody's calls. */
  readonly internal: InternalKeys | undefined;
  /** What cards say about it. */
  readonly security: typeof SECURITY | undefined;
  close(): Promise<void>;
}

/** What else tells who somebody is. */
export interface OtherWays {
  readonly authenticators?: readonly Authenticator[];
  /** What people are in workspaces now: a key is never more than its user. */
  readonly standingOf?: StandingOf;
}

/** Opens the keys and what asks for them; further ways to show who one is come after API keys. */
export async function openAccess(
  { dataFolder, admission, oidc, commandsPerSecond }: Configuration,
  { journal, log, keys: recordKeys }: Foundation,
  { authenticators = [], standingOf }: OtherWays = {},
): Promise<OpenedAccess> {
  const { isRequired } = admission;
  const keys = await KeyBook.open(journal, log);
  // Where everybody is the local user there is nobody to be kept from another's share.
  const limits = isRequired ? requestLimits(commandsPerSecond) : undefined;
  const metadata = resourceMetadata(oidc);
  const audit = new AuditLog(journal);
  const notes = new CountedAudit(audit, log);
  const access = new Access({
    notes,
    authenticators: [new ApiKeys(keys, standingOf), ...authenticators],
    ...{ isRequired, rates: limits && new RequestRates(limits) },
    ...(oidc && { provider: new URL(oidc.issuer).host }),
    ...(metadata && { resourceMetadata: metadata }),
    report: (error) => log.error({ err: error }, "it could not be told who sends a request"),
  });
  const internal = isRequired
    ? new InternalKeys(await loadOrCreateKey(join(dataFolder, "internal.key")))
    : undefined;
  const security = isRequired ? SECURITY : undefined;
  const commands = new KeyedCommands(journal, await recordKeys.of("commands"));
  const close = async () => {
    await notes.close();
    await keys.close();
  };
  return { access, keys, internal, security, audit, notes, commands, close };
}
