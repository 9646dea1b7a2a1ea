import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Journal } from "@parley/journal";
import type { AgentsStatus } from "./agents/watched-agents.ts";
import type { Configuration } from "./configuration.ts";
import { databasePlace } from "./data-place.ts";
import type { Runtime } from "./runtime.ts";

/** The status of the platform, for people and probes. */
export interface PlatformStatus extends Omit<AgentsStatus, "started"> {
  readonly version: string;
  readonly ready: boolean;
  /** The node is shutting down. */
  readonly draining: boolean;
  readonly startedAt: Date;
  readonly journal: {
    readonly storage: string;
    readonly place: string;
    readonly works: boolean;
    /** Why events of other nodes arrive late. */
    readonly degraded: string | undefined;
  };
}

/** Returns a function for the current status; not ready before the agents have started. */
export function statusOf(
  configuration: Configuration,
  { version, journal, hints, draining: ending }: Runtime,
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

const STREAM = "readiness";
/** Large enough not to fit into the free bytes of a page on a full disk. */
const BYTES = 3_000;
const CACHE_MS = 2_000;
const TIMEOUT_MS = 2_000;

/** Checks by a commit whether the journal can write, at most every two seconds. */
class JournalProbe {
  readonly #journal: Journal;
  #answer: { readonly at: number; readonly works: Promise<boolean> } | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  works(): Promise<boolean> {
    const now = performance.now();
    if (!this.#answer || now - this.#answer.at > CACHE_MS) this.#answer = { at: now, works: this.#inTime() };
    return this.#answer.works;
  }

  // No answer counts as a failure.
  #inTime(): Promise<boolean> {
    return Promise.race([
      this.#commit().then(
        () => true,
        () => false,
      ),
      pause(TIMEOUT_MS, false, { ref: false }),
    ]);
  }

  async #commit(): Promise<void> {
    const event = { probe: randomBytes(BYTES).toString("base64") };
    const index = await this.#journal.append(STREAM, [event], { urgent: true });
    await this.#journal.trim(STREAM, index);
  }
}
