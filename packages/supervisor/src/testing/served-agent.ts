import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
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

export interface ServedAgentOptions {
  readonly name: string;
  readonly executor: Executor;
  readonly journal?: Journal;
  readonly port?: number;
  /** Whether it declares our extension; others must work too. */
  readonly speaksExtension?: boolean;
  readonly streaming?: boolean;
  readonly skills?: readonly string[];
}

/** An agent on our own runtime, reached over HTTP. */
export class ServedAgent {
  readonly name: string;
  readonly url: string;
  readonly tasks: TaskOperations;
  readonly engine: TaskEngine;
  readonly #server: Server;

  private constructor(name: string, url: string, server: Server, engine: TaskEngine, tasks: TaskOperations) {
    this.name = name;
    this.url = url;
    this.engine = engine;
    this.tasks = tasks;
    this.#server = server;
  }

  static async start(options: ServedAgentOptions): Promise<ServedAgent> {
    const { name, executor, journal = openMemoryJournal({ projections: taskTables }) } = options;
    const { port = 0, speaksExtension = true, streaming = true, skills = [name] } = options;
    const engine = new TaskEngine({ journal, executor, agent: name, coalesce: false });
    const tasks = new TaskOperations(engine, journal);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const extensions = speaksExtension ? [runExtension] : [];
    const capabilities = { streaming, pushNotifications: false, extensions };
    const card = agentCardJson({
      ...{ name, description: `The ${name} agent`, version: "1.0.0", capabilities },
      interfaces: [{ url: `${url}/`, binding: "JSONRPC", dialects: ["1.0", "0.3"] }],
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      skills: skills.map((id) => ({ id, name: id, description: id, tags: [id] })),
    });
    const operations = agentOperations(tasks, { capabilities, inputModes: ["text/*", "application/json"] });
    const cards = new Map([["/.well-known/agent-card.json", servedCard(card)]]);
    const next = (_: unknown, response: { writeHead(status: number): { end(): void } }) =>
      response.writeHead(404).end();
    const listener = agentListener({ operations, cards, ownerOf: () => "local", report: () => {}, next });
    server.on("request", (request, response) => {
      // To one that knows nothing of our extension, a key means nothing.
      if (!speaksExtension) delete request.headers["idempotency-key"];
      listener(request, response);
    });
    const agent = new ServedAgent(name, url, server, engine, tasks);
    const upkeep = new TaskUpkeep(engine, journal, silentObserver);
    await upkeep.start();
    await upkeep.stop();
    return agent;
  }

  /** Breaks all its connections, and takes no more. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
