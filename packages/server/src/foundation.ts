import { type EgressPolicy, guardedFetch, pushTable, streamLimits, taskTables } from "@parley/a2a";
import type { AgentPlatform } from "@parley/agent";
import type { Journal } from "@parley/journal";
import { sessionTables } from "@parley/sessions";
import type { Logger } from "pino";
import manifest from "../package.json" with { type: "json" };
import { openWebhooks } from "./agents/webhooks.ts";
import type { Configuration } from "./configuration.ts";
import { openKeys } from "./keys/open-keys.ts";
import type { RecordKeys } from "./keys/record-keys.ts";
import { openJournal } from "./open-journal.ts";
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
  readonly keys: RecordKeys;
  /** What agents get of it. */
  readonly agentPlatform: AgentPlatform;
  /** Aborted when this process hands its work over to others because it is to end. */
  readonly draining: AbortSignal;
  drain(): void;
  /** Ends it; the journal is closed last. */
  close(): Promise<void>;
}

/** Opens the journal, with measurements and webhooks; throws if it cannot, and leaves nothing open. */
export async function layFoundation(configuration: Configuration): Promise<Foundation> {
  const { logLevel, egress, environment, model } = configuration;
  const { version } = manifest;
  const logFile = new LogFile(configuration);
  const log = createKeptLogger(logLevel, logFile);
  const table = pushTable();
  const journal = await openJournal(configuration, [...taskTables, table, ...sessionTables]);
  const metrics = startMetrics(version);
  const closeRest = async () => {
    await metrics.stop();
    await journal.close();
    await logFile.close();
  };
  try {
    observeJournal(metrics.meter, journal);
    const keys = await openKeys(configuration, journal, log);
    const { configs, delivery } = await openWebhooks({ journal, table, keys, egress, log });
    await delivery.start();
    const { meter } = metrics;
    const fetch = pinnedFetch(egress);
    const draining = new AbortController();
    return {
      version,
      log,
      journal,
      metrics,
      keys,
      agentPlatform: { journal, log, meter, push: configs, environment, model, fetch },
      draining: draining.signal,
      drain: () => draining.abort(),
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
