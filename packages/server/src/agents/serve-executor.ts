import {
  type AgentDescription,
  agentCardJson,
  agentListener,
  agentOperations,
  type Executor,
  isAgentPath,
  runExtension,
  servedCard,
  TaskEngine,
  TaskOperations,
  taskTables,
} from "@parley/a2a";
import { openMemoryJournal } from "@parley/journal";
import { nothingHere } from "../http/answer-parts.ts";
import { guardedServer } from "../http/guarded-server.ts";
import { closeServer, listen } from "../http/listen.ts";

const CAPABILITIES = { streaming: true, pushNotifications: false, extensions: [runExtension] };

/** An agent in code: the description for its card, and its executor. */
export interface ServedExecutorOptions extends Pick<AgentDescription, "name" | "description" | "skills"> {
  readonly executor: Executor;
  /** Reports unexpected errors. */
  readonly report: (error: unknown) => void;
}

export interface ServedExecutor {
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves an executor by A2A on a free loopback port; its tasks are in memory until it stops. */
export async function serveExecutor(options: ServedExecutorOptions): Promise<ServedExecutor> {
  const { name, description, skills, executor, report } = options;
  const journal = openMemoryJournal({ projections: taskTables });
  const engine = new TaskEngine({ journal, executor, agent: name });
  const operations = agentOperations(new TaskOperations(engine, journal), {
    capabilities: CAPABILITIES,
    inputModes: ["*/*"],
  });
  const cards = new Map<string, ReturnType<typeof servedCard>>();
  const listener = agentListener({ operations, cards, ownerOf: () => "local", report, next: nothingHere });
  const server = guardedServer(listener, { checksType: isAgentPath });
  const port = await listen(server, { host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${port}`;
  const card = agentCardJson({
    name,
    description,
    skills,
    version: "1.0.0",
    capabilities: CAPABILITIES,
    interfaces: [{ url: `${url}/`, binding: "JSONRPC", dialects: ["1.0"] }],
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
  });
  cards.set("/.well-known/agent-card.json", servedCard(card));
  return {
    url,
    async stop() {
      await Promise.all([closeServer(server), engine.suspend()]);
      await journal.close();
    },
  };
}
