import { join } from "node:path";
import type { AgentsStatus } from "./agents/watched-agents.ts";
import type { Configuration } from "./configuration.ts";
import { databasePlace } from "./database-url.ts";
import type { Foundation } from "./foundation.ts";
import { JournalProbe } from "./journal-probe.ts";

/** What runs, for people and for probes. */
export interface PlatformStatus extends Omit<AgentsStatus, "started"> {
  readonly version: string;
  readonly ready: boolean;
  /** It is about to end: whoever comes now had better go elsewhere. */
  readonly draining: boolean;
  readonly startedAt: Date;
  readonly journal: {
    readonly storage: string;
    readonly place: string;
    readonly works: boolean;
    /** Why events of other nodes come late. */
    readonly degraded: string | undefined;
  };
}

/** Tells what runs, whenever it is asked; without agents yet it is not ready. */
export function statusOf(
  configuration: Configuration,
  { version, journal, hints, draining: ending }: Foundation,
  agentsStatus: () => AgentsStatus | undefined,
): () => Promise<PlatformStatus> {
  const startedAt = new Date();
  const kept = journalPlace(configuration);
  const probe = new JournalProbe(journal);
  return async () => {
    const works = await probe.works();
    const { agents = [], problems = [], started = false } = agentsStatus() ?? {};
    const draining = ending.aborted;
    const ready = works && started && !draining;
    const standing = { ...kept, works, degraded: hints.trouble };
    return { version, ready, draining, startedAt, agents, problems, journal: standing };
  };
}

function journalPlace({ databaseUrl, dataFolder }: Configuration): { storage: string; place: string } {
  return databaseUrl
    ? { storage: "Postgres", place: databasePlace(databaseUrl) }
    : { storage: "SQLite", place: join(dataFolder, "journal.db") };
}
