import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Journal } from "@parley/journal";
import type { AgentsStatus } from "./agents/watched-agents.ts";
import type { Configuration } from "./configuration.ts";
import { databasePlace } from "./data-place.ts";
import type { Runtime } from "./runtime.ts";

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
/** So much is written that a full disk cannot hide it in the last free bytes of a page. */
const BYTES = 3_000;
const ANSWER_LASTS_MS = 2_000;
const PATIENCE_MS = 2_000;

/** Whether the journal can commit: tried by a commit, though not more often than every two seconds, whoever asks. */
class JournalProbe {
  readonly #journal: Journal;
  #answer: { readonly at: number; readonly works: Promise<boolean> } | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  works(): Promise<boolean> {
    const now = performance.now();
    if (!this.#answer || now - this.#answer.at > ANSWER_LASTS_MS)
      this.#answer = { at: now, works: this.#inTime() };
    return this.#answer.works;
  }

  // A storage that does not answer is no better than one that refuses.
  #inTime(): Promise<boolean> {
    return Promise.race([
      this.#commit().then(
        () => true,
        () => false,
      ),
      pause(PATIENCE_MS, false, { ref: false }),
    ]);
  }

  async #commit(): Promise<void> {
    const event = { probe: randomBytes(BYTES).toString("base64") };
    const index = await this.#journal.append(STREAM, [event], { urgent: true });
    await this.#journal.trim(STREAM, index);
  }
}
