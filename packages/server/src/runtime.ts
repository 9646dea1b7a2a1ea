import {
  type DeadLetters,
  type EgressPolicy,
  FairQueue,
  guardedFetch,
  pushTable,
  streamLimits,
} from "@parley/a2a";
import type { AgentPlatform } from "@parley/agent";
import type { Journal } from "@parley/journal";
import { MAX_RUNS } from "@parley/sessions";
import type { Logger } from "pino";
import manifest from "../package.json" with { type: "json" };
import { openWebhooks } from "./agents/webhooks.ts";
import type { Configuration } from "./configuration.ts";
import { journalTables } from "./journal-tables.ts";
import type { RecordKeys } from "./keys/shared-keys.ts";
import { openKeys } from "./keys/shared-keys.ts";
import { openJournal } from "./open-journal.ts";
import { HintStatus, observeJournal, observeProcess } from "./telemetry/gauges.ts";
import { LogFile } from "./telemetry/log-file.ts";
import { createKeptLogger } from "./telemetry/logger.ts";
import { type Metrics, startMetrics } from "./telemetry/metrics.ts";
import { startTracing } from "./telemetry/start-tracing.ts";

/** What all parts of this process share. */
export interface Runtime {
  readonly version: string;
  readonly log: Logger;
  readonly journal: Journal;
  readonly hints: Pick<HintStatus, "trouble">;
  readonly metrics: Metrics;
  /** Undeliverable webhook notifications of all agents. */
  readonly deadLetters: DeadLetters;
  readonly keys: RecordKeys;
  readonly agentPlatform: AgentPlatform & Required<Pick<AgentPlatform, "modelCalls">>;
  /** Aborted when this process shuts down and hands its work over. */
  readonly draining: AbortSignal;
  drain(): void;
  /** Closes everything, the journal last. */
  close(): Promise<void>;
}

/** Opens the journal, metrics and webhooks; leaves nothing open if it throws. */
export async function openRuntime(configuration: Configuration): Promise<Runtime> {
  const { logLevel, egress, environment, model } = configuration;
  const { version } = manifest;
  const tracing = await startTracing(configuration.traces, version);
  const logFile = new LogFile(configuration);
  const log = createKeptLogger(logLevel, logFile);
  const table = pushTable();
  const hints = new HintStatus(log);
  const journal = await openJournal(configuration, journalTables(table), hints.changed);
  const metrics = startMetrics(version);
  const closeRest = async () => {
    await tracing.stop();
    await metrics.stop();
    await journal.close();
    await logFile.close();
  };
  try {
    const { meter } = metrics;
    observeJournal(meter, journal);
    observeProcess(meter);
    hints.observe(meter);
    const keys = await openKeys(configuration, journal, log);
    const webhooks = await openWebhooks({ journal, table, keys, egress, log, meter });
    const { configs, delivery, deadLetters } = webhooks;
    await delivery.start();
    const fetch = pinnedFetch(egress);
    const draining = new AbortController();
    return {
      version,
      log,
      journal,
      hints,
      metrics,
      deadLetters,
      keys,
      agentPlatform: {
        ...{ journal, log, meter, tracing, push: configs, environment, model, fetch },
        modelCalls: new FairQueue({ total: MAX_RUNS, perUser: configuration.activeRuns }),
      },
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

// For URLs in the operator's files: trusted, but pinned to their origin, also by redirects.
function pinnedFetch(egress: EgressPolicy): typeof globalThis.fetch {
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    return guardedFetch(url, init ?? {}, { ...egress, allowOrigins: [url.origin], limits: streamLimits });
  };
}
