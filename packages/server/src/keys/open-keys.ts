import { loadOrCreateKey } from "@parley/a2a";
import type { Journal } from "@parley/journal";
import type { Logger } from "pino";
import type { Configuration } from "../configuration.ts";
import { keyFile, type RecordKeys } from "./record-keys.ts";
import { SharedKeys } from "./shared-keys.ts";

/** The keys of the data folder; where nodes share a Postgres, those in its database. */
export async function openKeys(
  { databaseUrl, dataFolder, secret }: Pick<Configuration, "databaseUrl" | "dataFolder" | "secret">,
  journal: Journal,
  log: Logger,
): Promise<RecordKeys> {
  if (!databaseUrl) return { of: (name) => loadOrCreateKey(keyFile(dataFolder, name)) };
  if (secret === undefined)
    log.warn("whoever can read the database can open the credentials in it: set PARLEY_SECRET on every node");
  return SharedKeys.open(journal, { secret, dataFolder });
}
