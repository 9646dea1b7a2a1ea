import type { Server } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { type Journal, openSqliteJournal } from "@parley/journal";
import manifest from "../package.json" with { type: "json" };
import type { Configuration } from "./configuration.ts";
import { application } from "./http/application.ts";
import { guardedServer } from "./http/guarded-server.ts";
import { listen } from "./http/listen.ts";
import type { PlatformStatus } from "./http/status-page.ts";
import { observeJournal } from "./telemetry/journal-metrics.ts";
import { createLogger } from "./telemetry/logger.ts";
import { startMetrics } from "./telemetry/metrics.ts";

const STOP_CONNECTIONS_AFTER_MS = 500;

/** Everything that runs in this process. */
export interface Platform {
  readonly port: number;
  /** Ends cleanly: no new requests, open ones get a moment, the journal is closed last. */
  stop(): Promise<void>;
}

/** Starts the journal and the main port; throws if either cannot. */
export async function startPlatform({ host, port, dataFolder, logLevel }: Configuration): Promise<Platform> {
  const log = createLogger(logLevel);
  const journal = await openSqliteJournal({ folder: dataFolder });
  const metrics = startMetrics(manifest.version);
  observeJournal(metrics.meter, journal);
  const startedAt = new Date();
  const status = async (): Promise<PlatformStatus> => {
    const works = await answers(journal);
    const place = join(dataFolder, "journal.db");
    return {
      version: manifest.version,
      ready: works,
      startedAt,
      journal: { storage: "SQLite", place, works },
    };
  };
  const server = guardedServer(getRequestListener(application({ status, metrics, log }).fetch));
  try {
    const bound = await listen(server, host, port);
    log.info({ host, port: bound }, "listening");
    const end = async () => {
      await stop(server, journal);
      await metrics.stop();
      log.info("stopped");
    };
    return { port: bound, stop: once(end) };
  } catch (error) {
    await metrics.stop();
    await journal.close();
    throw error;
  }
}

async function stop(server: Server, journal: Journal): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const impatience = setTimeout(() => server.closeAllConnections(), STOP_CONNECTIONS_AFTER_MS);
  await closed;
  clearTimeout(impatience);
  await journal.close();
}

async function answers(journal: Journal): Promise<boolean> {
  try {
    await journal.database.query("SELECT 1");
    return true;
  } catch {
    return false;
  }
}

function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}
