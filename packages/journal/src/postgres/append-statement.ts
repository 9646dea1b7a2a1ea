import type { PlannedStream } from "../commit-plan.ts";

/**
 * Moves the heads of the planned streams and writes their events, in one statement. A stream whose head
 * or epoch is not what the plan was made from, or that was deleted, does not move, and the count says so.
 * Rows are locked in the order of their ids, so that nodes never wait for each other in a circle.
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
  INSERT INTO events (stream, idx, at, body)
  SELECT e.stream, e.idx, e.at, e.body
  FROM unnest($5::bigint[], $6::bigint[], $7::bigint[], $8::text[]) AS e (stream, idx, at, body)
  WHERE e.stream IN (SELECT id FROM moved)
)
SELECT count(*) AS moved FROM moved`;

/** The statement for these streams; its one row's `moved` must equal their number, else roll back. */
export function appendStatement(streams: readonly PlannedStream[]): {
  name: string;
  text: string;
  values: unknown[];
} {
  const columns = { stream: [] as number[], idx: [] as number[], at: [] as number[], body: [] as string[] };
  for (const { state, events } of streams) {
    for (const { index, at, json } of events) {
      columns.stream.push(state.id);
      columns.idx.push(index);
      columns.at.push(at);
      columns.body.push(json);
    }
  }
  const states = streams.map(({ state }) => state);
  return {
    name: "append",
    text: SQL,
    values: [
      states.map(({ id }) => id),
      states.map(({ head }) => head),
      states.map(({ epoch }) => epoch),
      streams.map(({ state, events }) => state.head + events.length),
      columns.stream,
      columns.idx,
      columns.at,
      columns.body,
    ],
  };
}
