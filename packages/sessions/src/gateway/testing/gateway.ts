import { type Journal, openMemoryJournal, openSqliteJournal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { inject, onTestFinished } from "vitest";
import type { AgentAddress, AgentCalls } from "../agent-calls.ts";
import type { LiveThoughts } from "../live-thoughts.ts";
import type { RunLimits } from "../run-limits.ts";
import { RunRunner } from "../run-runner.ts";
import type { RunSetting } from "../run-setting.ts";
import { type RunObserver, silentRunObserver } from "../run-setting.ts";
import { DirectAgents } from "./direct-agents.ts";
import { JournalSessions } from "./journal-sessions.ts";
import { ServedAgent, type ServedAgentOptions } from "./served-agent.ts";

export type Storage = "memory" | "SQLite" | "Postgres";

export interface GatewayOptions {
  readonly storage?: Storage;
  readonly journal?: Journal;
  readonly others?: readonly AgentAddress[];
  /** Instead of agents at their URLs. */
  readonly agents?: AgentCalls;
  readonly limits?: Partial<RunLimits>;
  readonly observer?: Partial<RunObserver>;
  readonly thoughts?: LiveThoughts;
  readonly keepFile?: NonNullable<RunSetting["keepFile"]>;
}

/** A gateway with its sessions, ended with the test. */
export async function startGateway(options: GatewayOptions = {}) {
  const { storage = "memory", others = [], agents = new DirectAgents(others), limits = {} } = options;
  const journal = options.journal ?? (await openJournal(storage));
  const sessions = new JournalSessions(journal);
  const problems: Error[] = [];
  const observer: RunObserver = {
    ...silentRunObserver,
    failed: (_, error) => void problems.push(error),
    ...options.observer,
  };
  const runner = new RunRunner({
    ...{ journal, queue: sessions, agents, limits, observer, sweepMs: 200 },
    ...(options.thoughts && { thoughts: options.thoughts }),
    ...(options.keepFile && { keepFile: options.keepFile }),
    session: (id) => sessions.session(id),
  });
  onTestFinished(async () => {
    await runner.stop();
    await journal.close();
  });
  await runner.start();
  return { journal, sessions, runner, problems };
}

/** An agent, ended with the test. */
export async function startAgent(options: ServedAgentOptions): Promise<ServedAgent> {
  const agent = await ServedAgent.start(options);
  onTestFinished(async () => {
    await agent.stop();
    await agent.engine.suspend();
  });
  return agent;
}

/** A new journal, wherever it is. */
export async function openJournal(storage: Storage, leaseMs = 10_000): Promise<Journal> {
  if (storage === "memory") return openMemoryJournal({});
  if (storage === "SQLite") return openSqliteJournal({ folder: await testFolder() });
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  return openPostgresJournal({ url, leaseMs });
}
