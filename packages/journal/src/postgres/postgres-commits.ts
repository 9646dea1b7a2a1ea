import pg from "pg";
import { type AppendUnit, type CommitPlan, type PlannedStream, planCommit } from "../append/commit-plan.ts";
import { JournalError, StorageUnavailableError } from "../errors.ts";
import { NEW_STREAM, type StreamState } from "../event-store.ts";
import { packRuns } from "../events/event-run.ts";
import { applyProjections, isWanted, type Projection } from "../projection.ts";
import { int8Array, textArray } from "./binary-array.ts";
import type { KnownStreams } from "./known-streams.ts";
import { type PostgresDatabase, type RunStatement, runnerOn } from "./postgres-database.ts";
import { isDeadlock } from "./postgres-errors.ts";

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
        if (!(error instanceof StalePlan) && !isDeadlock(error)) throw error;
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
    // A refusal is final: it must not rest on a remembered state.
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

// Inserts the rows of new streams; if another node was faster, the plan is stale.
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

/**
 * Moves the heads of the planned streams and writes their events, in one statement, all or nothing: a stream whose
 * head or epoch is not what the plan was made from, or that was deleted, does not move, and the division by
 * zero at the end then fails the statement with everything it did. So it needs no transaction around it.
 * Fencing: a stale lease has an older epoch. Rows are locked in the order of their ids: no deadlock between nodes.
 */
const SQL = `
WITH plan AS (
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS p (id, head, epoch, next)
), locked AS MATERIALIZED (
  SELECT s.id, p.next FROM streams s JOIN plan p ON s.id = p.id
  WHERE s.head = p.head AND s.epoch = p.epoch AND NOT s.deleted
  ORDER BY s.id FOR UPDATE OF s
), moved AS (
  UPDATE streams s SET head = l.next FROM locked l WHERE s.id = l.id RETURNING s.id
), written AS (
  INSERT INTO events (stream, last, at, body)
  SELECT e.stream, e.last, e.at, e.body
  FROM unnest($5::bigint[], $6::bigint[], $7::bigint[], $8::text[]) AS e (stream, last, at, body)
  WHERE e.stream IN (SELECT id FROM moved)
)
SELECT 1 / (count(*) = $9::bigint)::int FROM moved`;
const DIVISION_BY_ZERO = "22012";

/** The state that the plan was made from has changed; nothing was written. */
class StalePlan extends Error {}

/** Writes what was planned, or throws `StalePlan`. */
async function appendEvents(run: RunStatement, streams: readonly PlannedStream[]): Promise<void> {
  try {
    await run({ name: "append", text: SQL, values: valuesOf(streams) });
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === DIVISION_BY_ZERO) throw new StalePlan();
    throw error;
  }
}

function valuesOf(streams: readonly PlannedStream[]): unknown[] {
  const rows = { stream: [] as number[], last: [] as number[], at: [] as number[], body: [] as string[] };
  for (const { state, events } of streams) {
    for (const { last, at, body } of packRuns(events)) {
      rows.stream.push(state.id);
      rows.last.push(last);
      rows.at.push(at);
      rows.body.push(body);
    }
  }
  const heads = [
    streams.map(({ state }) => state.id),
    streams.map(({ state }) => state.head),
    streams.map(({ state }) => state.epoch),
    streams.map(({ state, events }) => state.head + events.length),
  ];
  const numbers = [...heads, rows.stream, rows.last, rows.at].map(int8Array);
  return [...numbers, textArray(rows.body), streams.length];
}
