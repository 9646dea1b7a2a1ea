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

/** What guards the ports of this process. */
export interface OpenedAccess {
  readonly access: Access;
  readonly commands: KeyedCommands;
  /** Whose turn at the event loop it is; undefined: everybody is the local user. */
  readonly turns: LoopShares | undefined;
  /** By which our own agents know us; undefined: they take anybody's calls. */
  readonly internal: InternalKeys | undefined;
  /** What cards say about it. */
  readonly security: typeof SECURITY | undefined;
}

/** Opens what authenticates requests, limits them, and runs each command once. */
export async function openAccess(
  { dataFolder, admission, oidc, commandsPerSecond }: Configuration,
  { journal, log, keys: recordKeys }: Runtime,
  { authenticators, notes }: Pick<OpenIdentity, "authenticators" | "notes">,
): Promise<OpenedAccess> {
  const { isRequired } = admission;
  // Where everybody is the local user there is nobody to be kept from another's share.
  const limits = isRequired ? requestLimits(commandsPerSecond) : undefined;
  const turns = isRequired ? new LoopShares() : undefined;
  const metadata = resourceMetadata(oidc);
  const access = new Access({
    notes,
    authenticators,
    ...{ isRequired, rates: limits && new RequestRates(limits), turns },
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
