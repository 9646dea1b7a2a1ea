import { type EgressPolicy, guardedFetch, pushTable, streamLimits, taskTables } from "@parley/a2a";
import type { AgentPlatform } from "@parley/agent";
import type { Journal } from "@parley/journal";
import { sessionTables } from "@parley/sessions";
import type { Logger } from "pino";
import manifest from "../package.json" with { type: "json" };
import { openWebhooks } from "./agents/webhooks.ts";
import type { Configuration } from "./configuration.ts";
import { openJournal } from "./open-journal.ts";
import { peopleTables } from "./people/people-tables.ts";
import { observeJournal } from "./telemetry/journal-metrics.ts";
import { LogFile } from "./telemetry/log-file.ts";
import { createKeptLogger } from "./telemetry/logger.ts";
import { type Metrics, startMetrics } from "./telemetry/metrics.ts";

/** What all that runs in this process stands on. */
export interface Foundation {
  readonly version: string;
  readonly log: Logger;
  readonly journal: Journal;
  readonly metrics: Metrics;
  /** What agents get of it. */
  readonly agentPlatform: AgentPlatform;
  /** Ends it; the journal is closed last. */
  close(): Promise<void>;
}

/** Opens the journal, with measurements and webhooks; throws if it cannot, and leaves nothing open. */
export async function layFoundation(configuration: Configuration): Promise<Foundation> {
  const { dataFolder, logLevel, egress, environment, model } = configuration;
  const { version } = manifest;
  const logFile = new LogFile(dataFolder);
  const log = createKeptLogger(logLevel, logFile);
  const table = pushTable();
  const journal = await openJournal(configuration, [...taskTables, table, ...sessionTables, ...peopleTables]);
  const metrics = startMetrics(version);
  const closeRest = async () => {
    await metrics.stop();
    await journal.close();
    await logFile.close();
  };
  try {
    observeJournal(metrics.meter, journal);
    const { configs, delivery } = await openWebhooks({ journal, table, dataFolder, egress, log });
    await delivery.start();
    const { meter } = metrics;
    const fetch = pinnedFetch(egress);
    return {
      version,
      log,
      journal,
      metrics,
      agentPlatform: { journal, log, meter, push: configs, environment, model, fetch },
      async close() {
        await delivery.stop();
        await closeRest();
      },
    };
  } catch (error) {
    await closeRest();
    throw error;
  }
}

// For addresses in the operator's own files: trusted, but pinned, and no redirect leads elsewhere.
function pinnedFetch(egress: EgressPolicy): typeof globalThis.fetch {
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    return guardedFetch(url, init ?? {}, { ...egress, allowOrigins: [url.origin], limits: streamLimits });
  };
}
