import { type AppendUnit, type CommitPlan, type PlannedStream, planCommit } from "../commit-plan.ts";
import { JournalError, StorageUnavailableError } from "../errors.ts";
import { NEW_STREAM, type StreamState } from "../event-store.ts";
import { applyProjections, isWanted, type Projection } from "../projection.ts";
import { appendEvents, StalePlan } from "./append-statement.ts";
import type { KnownStreams } from "./known-streams.ts";
import { type PostgresDatabase, type RunStatement, runnerOn } from "./postgres-database.ts";
import { isRetryable } from "./postgres-errors.ts";

const ATTEMPTS = 5;

/**
 * Commits units: first by a plan on what this node remembers, in one statement where no projection wants them.
 * When another node was faster, nothing was written, and it is planned again with the streams' rows locked.
 */
export class PostgresCommits {
  readonly #database: PostgresDatabase;
  readonly #known: KnownStreams;
  readonly #projections: readonly Projection[];

  constructor(database: PostgresDatabase, known: KnownStreams, projections: readonly Projection[]) {
    this.#database = database;
    this.#known = known;
    this.#projections = projections;
  }

  async commit(units: readonly AppendUnit[]): Promise<CommitPlan> {
    const names = [...new Set(units.flatMap(({ parts }) => parts.map(({ stream }) => stream)))];
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        const plan = await (attempt === 1 ? this.#fromMemory(units, names) : this.#locked(units, names));
        for (const { stream, state, events } of plan.streams) {
          this.#known.set(stream, { ...state, head: state.head + events.length });
        }
        return plan;
      } catch (error) {
        if (!(error instanceof StalePlan) && !isRetryable(error)) throw error;
      }
    }
    throw new StorageUnavailableError(
      "The Postgres database",
      "other nodes kept writing to the same streams",
    );
  }

  async #fromMemory(units: readonly AppendUnit[], names: readonly string[]): Promise<CommitPlan> {
    const states = await this.#remembered(names);
    const plan = planCommit(units, (name) => states.get(name) ?? NEW_STREAM);
    // A refusal is final: it must not rest on something this node merely remembers.
    if (plan.outcomes.some((outcome) => outcome instanceof JournalError)) throw new StalePlan();
    const streams = await withIds(this.#database.run, plan.streams);
    if (!isWanted(this.#projections, streams)) await appendEvents(this.#database.run, streams);
    else await this.#database.inTransaction((run) => this.#appendAndProject(run, streams));
    return { outcomes: plan.outcomes, streams };
  }

  #locked(units: readonly AppendUnit[], names: readonly string[]): Promise<CommitPlan> {
    return this.#database.inTransaction(async (run) => {
      const states = await this.#known.load(run, names, { lock: true });
      const plan = planCommit(units, (name) => states.get(name) ?? NEW_STREAM);
      const streams = await withIds(run, plan.streams);
      if (streams.length > 0) await this.#appendAndProject(run, streams);
      return { outcomes: plan.outcomes, streams };
    });
  }

  async #appendAndProject(run: RunStatement, streams: readonly PlannedStream[]): Promise<void> {
    await appendEvents(run, streams);
    await applyProjections(this.#projections, runnerOn(run), streams);
  }

  async #remembered(names: readonly string[]): Promise<Map<string, StreamState>> {
    const states = new Map<string, StreamState>();
    for (const name of names) {
      const known = this.#known.get(name);
      if (known) states.set(name, known);
    }
    const unknown = names.filter((name) => !states.has(name));
    if (unknown.length === 0) return states;
    const loaded = await this.#known.load(this.#database.run, unknown, { lock: false });
    return new Map([...states, ...loaded]);
  }
}

// Streams that are new to the plan get their rows here; if another node was faster, the plan is stale.
async function withIds(run: RunStatement, streams: readonly PlannedStream[]): Promise<PlannedStream[]> {
  const fresh = streams.filter(({ state }) => state.id === 0).map(({ stream }) => stream);
  if (fresh.length === 0) return [...streams];
  const text =
    "INSERT INTO streams (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING RETURNING id, name";
  const { rows } = await run({ text, values: [fresh.sort()] });
  if (rows.length !== fresh.length) throw new StalePlan();
  const ids = new Map<string, number>(rows.map(({ id, name }) => [name, id]));
  return streams.map((planned) => ({
    ...planned,
    state: { ...planned.state, id: ids.get(planned.stream) ?? planned.state.id },
  }));
}
