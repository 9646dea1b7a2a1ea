import pg from "pg";
import type { PlannedStream } from "../commit-plan.ts";
import { packRuns } from "../event-run.ts";
import { int8Array, textArray } from "./binary-array.ts";
import type { RunStatement } from "./postgres-database.ts";

/**
 * Moves the heads of the planned streams and writes their events, in one statement, all or nothing: a stream whose
 * head or epoch is not what the plan was made from, or that was deleted, does not move, and the division by
 * zero at the end then fails the statement with everything it did. So it needs no transaction around it.
 * Rows are locked in the order of their ids: nodes never wait for each other in a circle.
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

/** Thrown when what the plan was made from is no longer so; nothing was written. */
export class StalePlan extends Error {}

/** Writes what was planned, or throws `StalePlan`. */
export async function appendEvents(run: RunStatement, streams: readonly PlannedStream[]): Promise<void> {
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
