import type { IncomingMessage } from "node:http";
import {
  agentListener,
  agentOperations,
  type Executor,
  isAgentPath,
  silentObserver,
  TaskEngine,
  TaskOperations,
  TaskUpkeep,
  taskTables,
} from "@parley/a2a";
import { type Journal, openMemoryJournal, openSqliteJournal } from "@parley/journal";
import { guardedServer, listen } from "@parley/server";

export interface ProofAgentOptions {
  readonly executor: Executor;
  /** Where its journal is; in memory by default. */
  readonly folder?: string;
  /** Another journal, opened with `taskTables`; the agent closes it. */
  readonly journal?: Journal;
  /** On by default. */
  readonly coalesce?: boolean;
  /** Whose call it is; everybody is the same one by default. */
  readonly ownerOf?: (request: IncomingMessage) => string;
}

export interface ProofAgent {
  readonly url: string;
  readonly tasks: TaskOperations;
  stop(): Promise<void>;
}

/** An agent with nothing but its tasks: no card, no push; whatever executor and journal a proof needs. */
export async function startProofAgent(options: ProofAgentOptions): Promise<ProofAgent> {
  const { executor, coalesce = true, ownerOf = () => "local" } = options;
  const journal = options.journal ?? (await openJournal(options.folder));
  const engine = new TaskEngine({ journal, executor, coalesce });
  const upkeep = new TaskUpkeep(engine, journal, silentObserver);
  await upkeep.start();
  const tasks = new TaskOperations(engine, journal);
  const server = guardedServer(
    agentListener({
      operations: agentOperations(tasks),
      cards: new Map(),
      ownerOf,
      report: (error) => process.stderr.write(`${error instanceof Error ? error.stack : error}\n`),
      next: (_request, response) => {
        const error = { code: "not_found", message: "There is nothing here" };
        response.writeHead(404, { "Content-Type": "application/json" }).end(JSON.stringify({ error }));
      },
    }),
    { checksType: isAgentPath },
  );
  const url = `http://localhost:${await listen(server, { host: "127.0.0.1", port: 0 })}`;
  return {
    url,
    tasks,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await upkeep.stop();
      await engine.idle();
      await journal.close();
    },
  };
}

async function openJournal(folder: string | undefined): Promise<Journal> {
  const projections = taskTables;
  return folder ? openSqliteJournal({ folder, projections }) : openMemoryJournal({ projections });
}
