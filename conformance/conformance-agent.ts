import type { Server } from "node:http";
import {
  type AgentDescription,
  agentCardJson,
  agentJson,
  agentListener,
  agentOperations,
  type ServedCard,
  servedCard,
  silentObserver,
  TaskEngine,
  TaskOperations,
  TaskUpkeep,
  taskTable,
} from "@parley/a2a";
import { type Journal, openMemoryJournal, openSqliteJournal } from "@parley/journal";
import { guardedServer, listen } from "@parley/server";
import { conformanceExecutor } from "./conformance-executor.ts";

export interface ConformanceAgentOptions {
  readonly port: number;
  /** Undefined keeps the journal in memory. */
  readonly folder?: string;
  /** Off: every chunk is an event of its own. */
  readonly coalesce?: boolean;
}

export interface ConformanceAgent {
  readonly url: string;
  stop(): Promise<void>;
}

/** The agent that the public conformance kit drives: card at the root, JSON-RPC at /a2a/jsonrpc and the usual places, REST below /a2a/rest. */
export async function startConformanceAgent(options: ConformanceAgentOptions): Promise<ConformanceAgent> {
  const journal = await openJournal(options.folder);
  const engine = new TaskEngine({
    journal,
    executor: conformanceExecutor,
    coalesce: options.coalesce ?? true,
  });
  const upkeep = new TaskUpkeep(engine, journal, silentObserver);
  await upkeep.start();
  const cards = new Map<string, ServedCard>();
  const server = guardedServer(
    agentListener({
      operations: agentOperations(new TaskOperations(engine, journal)),
      cards,
      ownerOf: () => "local",
      report: (error) => process.stderr.write(`${error instanceof Error ? error.stack : error}\n`),
      next: (_request, response) => {
        response.writeHead(404, { "Content-Type": "application/json" });
        response.end(JSON.stringify({ error: { code: "not_found", message: "There is nothing here" } }));
      },
    }),
  );
  const port = await listen(server, "127.0.0.1", options.port);
  const url = `http://localhost:${port}`;
  publishCards(cards, describe(url));
  return {
    url,
    async stop() {
      await closeServer(server);
      await upkeep.stop();
      await engine.idle();
      await journal.close();
    },
  };
}

function openJournal(folder: string | undefined): Promise<Journal> {
  const projections = [taskTable];
  return folder
    ? openSqliteJournal({ folder, projections })
    : Promise.resolve(openMemoryJournal({ projections }));
}

function describe(url: string): AgentDescription {
  return {
    name: "Parley conformance agent",
    description: "Answers as the public A2A conformance kit expects",
    version: "0.1.0",
    interfaces: [
      { url: `${url}/a2a/jsonrpc`, binding: "JSONRPC", dialects: ["1.0", "0.3", "0.1"] },
      { url: `${url}/a2a/rest`, binding: "HTTP+JSON", dialects: ["1.0"] },
    ],
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [
      { id: "tck", name: "Conformance", description: "Behaves by the prefix of messageId", tags: ["tck"] },
    ],
  };
}

function publishCards(cards: Map<string, ServedCard>, description: AgentDescription): void {
  cards.set("/.well-known/agent-card.json", servedCard(agentCardJson(description)));
  const first = agentJson(description);
  if (first) cards.set("/.well-known/agent.json", servedCard(first));
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
