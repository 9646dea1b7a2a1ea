import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import { join } from "node:path";
import {
  type AgentDescription,
  agentCardJson,
  agentJson,
  agentListener,
  agentOperations,
  ConfigSeal,
  type Executor,
  isAgentPath,
  type Log,
  logObserver,
  makeSigningKey,
  metricObserver,
  observedBy,
  type PublishedInterface,
  PushConfigs,
  PushDelivery,
  type PushDeliveryOptions,
  type PushTable,
  parseCidrList,
  pushTable,
  runExtension,
  type ServedCard,
  servedCard,
  signCard,
  signingSecret,
  silentLog,
  silentPushObserver,
  startGrpcServer,
  TaskEngine,
  TaskOperations,
  TaskUpkeep,
  taskTables,
} from "@parley/a2a";
import { type Journal, loadOrCreateKey, openMemoryJournal, openSqliteJournal } from "@parley/journal";
import {
  guardedServer,
  listen,
  metricsListener,
  observeJournal,
  StartError,
  startMetrics,
} from "@parley/server";
import { conformanceExecutor } from "./conformance-executor.ts";

const VERSION = "0.1.0";
const KEY_SET_PATH = "/.well-known/jwks.json";
const INPUT_MODES = ["text/plain"];
const CAPABILITIES = { streaming: true, pushNotifications: true, extensions: [runExtension] };

export interface ConformanceAgentOptions {
  readonly port: number;
  /** Undefined for no gRPC; 0 for any free port. */
  readonly grpcPort?: number;
  /** Undefined keeps the journal in memory. */
  readonly folder?: string;
  /** Off: every chunk is an event of its own. */
  readonly coalesce?: boolean;
  readonly log?: Log;
  /** Replaces the conformance kit's executor. */
  readonly executor?: Executor;
  /** How webhooks are sent, where it is not the default. */
  readonly webhooks?: Pick<PushDeliveryOptions, "retries" | "timeoutMs">;
}

export interface ConformanceAgent {
  readonly url: string;
  readonly grpcPort?: number;
  stop(): Promise<void>;
}

/** The agent that the public conformance kit drives: card at the root, JSON-RPC at /a2a/jsonrpc and the usual places, REST below /a2a/rest, gRPC on a port of its own. */
export async function startConformanceAgent(options: ConformanceAgentOptions): Promise<ConformanceAgent> {
  const { log = silentLog } = options;
  const report = (error: unknown) => log.error({ err: error }, "request failed");
  const table = pushTable();
  const journal = await openJournal(options.folder, table);
  const { configs, delivery } = await openPush(journal, table, options);
  const metrics = startMetrics(VERSION);
  observeJournal(metrics.meter, journal);
  const observer = observedBy(metricObserver(metrics.meter, "conformance"), logObserver(log, "conformance"));
  const engine = new TaskEngine({
    journal,
    executor: options.executor ?? conformanceExecutor,
    observer,
    coalesce: options.coalesce ?? true,
    push: configs,
  });
  const upkeep = new TaskUpkeep(engine, journal, observer);
  await upkeep.start();
  await delivery.start();
  const cards = new Map<string, ServedCard>();
  const operations = agentOperations(new TaskOperations(engine, journal), {
    capabilities: CAPABILITIES,
    inputModes: INPUT_MODES,
    push: configs,
  });
  const showMetrics = metricsListener(metrics, report);
  const server = guardedServer(
    agentListener({
      operations,
      cards,
      ownerOf: () => "local",
      report,
      next: (request, response) => {
        if (request.method === "GET" && request.url === "/metrics") return showMetrics(request, response);
        response.writeHead(404, { "Content-Type": "application/json" });
        response.end(JSON.stringify({ error: { code: "not_found", message: "There is nothing here" } }));
      },
    }),
    { checksType: isAgentPath },
  );
  const port = await listen(server, { host: "127.0.0.1", port: options.port });
  const url = `http://localhost:${port}`;
  const grpc =
    options.grpcPort === undefined
      ? undefined
      : await startGrpcServer({
          host: "127.0.0.1",
          port: options.grpcPort,
          operations,
          ownerOf: () => "local",
          report,
        }).catch((error: Error) => {
          server.close();
          throw new StartError(
            `gRPC cannot listen on port ${options.grpcPort}, which is PORT + 1 (${error.message}): end what is there, or choose another PORT`,
          );
        });
  await publishCards(cards, url, grpc?.port);
  return {
    url,
    ...(grpc && { grpcPort: grpc.port }),
    async stop() {
      await grpc?.stop();
      await closeServer(server);
      await upkeep.stop();
      await engine.idle();
      await delivery.stop();
      await journal.close();
      await metrics.stop();
    },
  };
}

/** Webhooks, also to this machine: the conformance kit listens here. */
async function openPush(journal: Journal, table: PushTable, options: ConformanceAgentOptions) {
  const { folder, webhooks, log = silentLog } = options;
  const key = (name: string) => (folder ? loadOrCreateKey(join(folder, name)) : randomBytes(32));
  const seal = new ConfigSeal(await key("push.key"));
  const egress = { allow: parseCidrList("127.0.0.1/32,::1/128") };
  const delivery = new PushDelivery({
    journal,
    table,
    seal,
    egress,
    signingSecrets: [signingSecret(await key("webhook.key"))],
    observer: {
      ...silentPushObserver,
      dead: ({ taskId, index }, { error, tries }) =>
        log.error({ taskId, index, tries, error }, "webhook given up"),
      failed: (error) => log.error({ err: error }, "webhooks failed"),
    },
    ...webhooks,
  });
  return { configs: new PushConfigs({ journal, seal, egress }), delivery };
}

function openJournal(folder: string | undefined, table: PushTable): Promise<Journal> {
  const projections = [...taskTables, table];
  return folder
    ? openSqliteJournal({ folder, projections })
    : Promise.resolve(openMemoryJournal({ projections }));
}

function describe(url: string, grpcPort: number | undefined): AgentDescription {
  return {
    name: "Parley conformance agent",
    description: "Answers as the public A2A conformance kit expects",
    version: VERSION,
    interfaces: [
      { url: `${url}/a2a/jsonrpc`, binding: "JSONRPC", dialects: ["1.0", "0.3", "0.1"] },
      { url: `${url}/a2a/rest`, binding: "HTTP+JSON", dialects: ["1.0", "0.3"] },
      ...(grpcPort === undefined ? [] : [grpcInterface(grpcPort)]),
    ],
    capabilities: CAPABILITIES,
    defaultInputModes: INPUT_MODES,
    defaultOutputModes: ["text/plain", "application/json"],
    skills: [
      { id: "tck", name: "Conformance", description: "Behaves by the prefix of messageId", tags: ["tck"] },
    ],
  };
}

function grpcInterface(port: number): PublishedInterface {
  return { url: `localhost:${port}`, binding: "GRPC", dialects: ["1.0", "0.3"] };
}

/** Signs the card in every form that clients verify, with a published key. */
async function publishCards(cards: Map<string, ServedCard>, url: string, grpcPort?: number): Promise<void> {
  const description = describe(url, grpcPort);
  const { signer, keySet } = await makeSigningKey(url + KEY_SET_PATH);
  const forms = ["specification", "whole-document", "official-sdks"] as const;
  const card = await signCard(agentCardJson(description), signer, forms);
  cards.set("/.well-known/agent-card.json", servedCard(card));
  cards.set(KEY_SET_PATH, servedCard(keySet));
  const first = agentJson(description);
  if (first) cards.set("/.well-known/agent.json", servedCard(first));
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
