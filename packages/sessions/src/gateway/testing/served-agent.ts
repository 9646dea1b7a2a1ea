import { createServer, type Server } from "node:http";
import {
  A2AError,
  agentCardJson,
  agentListener,
  agentOperations,
  type Executor,
  runExtension,
  servedCard,
  silentObserver,
  TaskEngine,
  TaskOperations,
  TaskUpkeep,
  taskTables,
} from "@parley/a2a";
import { type Journal, openMemoryJournal } from "@parley/journal";
import { freePort } from "@parley/testing/free-ports.ts";

export interface ServedAgentOptions {
  readonly name?: string;
  readonly executor: Executor;
  readonly journal?: Journal;
  readonly port?: number;
  readonly speaksExtension?: boolean;
  readonly streaming?: boolean;
  /** False: it does not say which tasks it has. */
  readonly lists?: boolean;
}

/** An agent on our own runtime, reached over HTTP. */
export class ServedAgent {
  readonly name: string;
  readonly url: string;
  readonly port: number;
  readonly journal: Journal;
  readonly engine: TaskEngine;
  readonly #server: Server;

  private constructor(name: string, port: number, journal: Journal, engine: TaskEngine, server: Server) {
    this.name = name;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.journal = journal;
    this.engine = engine;
    this.#server = server;
  }

  static async start(options: ServedAgentOptions): Promise<ServedAgent> {
    const { name = "agent", executor, journal = openMemoryJournal({ projections: taskTables }) } = options;
    const { speaksExtension = true, streaming = true, lists = true } = options;
    const engine = new TaskEngine({ journal, executor, agent: name, coalesce: false });
    const tasks = new TaskOperations(engine, journal);
    const server = createServer();
    // One that nobody else gets, so that it can be stopped and come back.
    const port = options.port ?? (await freePort());
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    const extensions = speaksExtension ? [runExtension] : [];
    const capabilities = { streaming, pushNotifications: false, extensions };
    const card = agentCardJson({
      ...{ name, description: `The ${name} agent`, version: "1.0.0", capabilities },
      interfaces: [{ url: `http://127.0.0.1:${port}/`, binding: "JSONRPC", dialects: ["1.0", "0.3"] }],
      ...{ defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] },
      skills: [{ id: "work", name: "work", description: "Works", tags: ["work"] }],
    });
    const offered = agentOperations(tasks, { capabilities, inputModes: ["*/*"] });
    const unlisted = () => Promise.reject(new A2AError("UnsupportedOperation", "It keeps no list"));
    const operations = lists ? offered : { ...offered, unary: { ...offered.unary, list: unlisted } };
    const cards = new Map([["/.well-known/agent-card.json", servedCard(card)]]);
    const next = (_: unknown, response: { writeHead(status: number): { end(): void } }) =>
      response.writeHead(404).end();
    const listener = agentListener({ operations, cards, ownerOf: () => "local", report: () => {}, next });
    server.on("request", listener);
    const upkeep = new TaskUpkeep(engine, journal, silentObserver);
    await upkeep.start();
    await upkeep.stop();
    return new ServedAgent(name, port, journal, engine, server);
  }

  /** Breaks all its connections, and takes no more. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
