import type { Server } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { guardedFetch, pushTable, streamLimits, taskTables } from "@parley/a2a";
import { AgentFolder, OFFLINE_MODEL_PATH, offlineModelListener } from "@parley/agent";
import { type Journal, openSqliteJournal } from "@parley/journal";
import manifest from "../package.json" with { type: "json" };
import { AgentPorts } from "./agents/agent-ports.ts";
import { AgentServers, type AgentStatus } from "./agents/agent-servers.ts";
import { openWebhooks } from "./agents/webhooks.ts";
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
  /** Resolves when every agent is up or has loudly failed. */
  readonly agentsStarted: Promise<readonly AgentStatus[]>;
  /** Ends cleanly: no new requests, open ones get a moment, the journal is closed last. */
  stop(): Promise<void>;
}

/** Starts the journal and the main port, then the agents; throws if one of the first two cannot. */
export async function startPlatform(configuration: Configuration): Promise<Platform> {
  const { host, port, dataFolder, logLevel, egress } = configuration;
  const log = createLogger(logLevel);
  const table = pushTable();
  const journal = await openSqliteJournal({ folder: dataFolder, projections: [...taskTables, table] });
  const metrics = startMetrics(manifest.version);
  observeJournal(metrics.meter, journal);
  const webhooks = await openWebhooks({ journal, table, dataFolder, egress, log });
  const agents = new AgentServers({
    host,
    ports: await AgentPorts.open(dataFolder, port),
    platform: {
      journal,
      log,
      meter: metrics.meter,
      push: webhooks.configs,
      environment: configuration.environment,
      model: configuration.model,
      // Their addresses are in the operator's own files: trusted, but pinned, and no redirect leads elsewhere.
      fetch: (input, init) => {
        const url = new URL(input instanceof Request ? input.url : input);
        const policy = { ...egress, allowOrigins: [url.origin], limits: streamLimits };
        return guardedFetch(url, init ?? {}, policy);
      },
    },
  });
  let started = false;
  const startedAt = new Date();
  const status = async (): Promise<PlatformStatus> => {
    const works = await answers(journal);
    const place = join(dataFolder, "journal.db");
    const { version } = manifest;
    const ready = works && started;
    return {
      version,
      ready,
      startedAt,
      agents: agents.status(),
      journal: { storage: "SQLite", place, works },
    };
  };
  const routes = getRequestListener(application({ status, metrics, log }).fetch);
  const offline = offlineModelListener({
    onError: (error) => log.error({ err: error }, "offline model failed"),
  });
  const server = guardedServer((request, response) =>
    request.url?.startsWith(OFFLINE_MODEL_PATH) ? offline(request, response) : routes(request, response),
  );
  try {
    const bound = await listen(server, host, port);
    log.info({ host, port: bound }, "listening");
    await webhooks.delivery.start();
    const folder = await openFolder(configuration, agents, log);
    for (const problem of folder.current.problems) log.error({ ...problem }, "agent file has a problem");
    const agentsStarted = agents.start(folder.current.agents).then(() => {
      started = true;
      return agents.status();
    });
    const end = async () => {
      folder.close();
      await closeServer(server);
      await agents.stop(closeServer);
      await webhooks.delivery.stop();
      await journal.close();
      await metrics.stop();
      log.info("stopped");
    };
    return { port: bound, agentsStarted, stop: once(end) };
  } catch (error) {
    await metrics.stop();
    await journal.close();
    throw error;
  }
}

function openFolder(
  { agentsFolder, environment, dataFolder }: Configuration,
  agents: AgentServers,
  log: ReturnType<typeof createLogger>,
): Promise<AgentFolder> {
  // Servers run in the folder of the agents, so a path must not depend on where they are.
  const variables = { ...environment, PARLEY_DATA: dataFolder };
  return AgentFolder.open({
    folder: agentsFolder,
    variables,
    onChange(change) {
      for (const problem of change.problems) log.error({ ...problem }, "agent file has a problem");
      agents
        .apply(change)
        .catch((error: unknown) => log.error({ err: error }, "agents could not be changed"));
    },
  });
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const impatience = setTimeout(() => server.closeAllConnections(), STOP_CONNECTIONS_AFTER_MS);
  await closed;
  clearTimeout(impatience);
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
