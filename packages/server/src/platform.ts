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

const STOP_CONNECTIONS_AFTER_MS = 500;

/** Everything that runs in this process. */
export interface Platform {
  readonly port: number;
  /** Ends cleanly: no new requests, open ones get a moment, the journal is closed last. */
  stop(): Promise<void>;
}

/** Starts the journal and the main port; throws if either cannot. */
export async function startPlatform({ host, port, dataFolder }: Configuration): Promise<Platform> {
  const journal = await openSqliteJournal({ folder: dataFolder });
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
  const server = guardedServer(getRequestListener(application(status).fetch));
  try {
    const bound = await listen(server, host, port);
    return { port: bound, stop: once(() => stop(server, journal)) };
  } catch (error) {
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
