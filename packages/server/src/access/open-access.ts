import { join } from "node:path";
import { type OpenIdentity, resourceMetadata } from "@parley/identity";
import { loadOrCreateKey } from "@parley/journal";
import { KeyedCommands } from "../api/keyed-commands.ts";
import { RequestRates, requestLimits } from "../api/request-rates.ts";
import type { Configuration } from "../configuration.ts";
import { LoopShares } from "../quotas/loop-shares.ts";
import type { Runtime } from "../runtime.ts";
import { Access } from "./access.ts";
import { InternalKeys, SECURITY } from "./internal-key.ts";

/** Authentication and limits of this process. */
export interface OpenedAccess {
  readonly access: Access;
  readonly commands: KeyedCommands;
  /** Shares the event loop; undefined without authentication. */
  readonly turns: LoopShares | undefined;
  /** Authenticates calls to hosted agents; undefined without authentication. */
  readonly internal: InternalKeys | undefined;
  readonly security: typeof SECURITY | undefined;
}

export async function openAccess(
  { dataFolder, admission, oidc, commandsPerSecond }: Configuration,
  { journal, log, keys: recordKeys }: Runtime,
  { authenticators, notes }: Pick<OpenIdentity, "authenticators" | "notes">,
): Promise<OpenedAccess> {
  const { isRequired } = admission;
  // Without authentication everybody is one user, so there is nothing to share.
  const limits = isRequired ? requestLimits(commandsPerSecond) : undefined;
  const turns = isRequired ? new LoopShares() : undefined;
  const metadata = resourceMetadata(oidc);
  const access = new Access({
    notes,
    authenticators,
    isRequired,
    rates: limits && new RequestRates(limits),
    turns,
    ...(oidc && { provider: new URL(oidc.issuer).host }),
    ...(metadata && { resourceMetadata: metadata }),
    report: (error) => log.error({ err: error }, "authenticating a request failed"),
  });
  const internal = isRequired
    ? new InternalKeys(await loadOrCreateKey(join(dataFolder, "internal.key")))
    : undefined;
  const security = isRequired ? SECURITY : undefined;
  const commands = new KeyedCommands(journal, await recordKeys.of("commands"));
  return { access, turns, internal, security, commands };
}
