import type { Projection, RecordedEvent, SqlDatabase, SqlRunner, StreamCommit } from "@parley/journal";
import type { TaskState } from "../protocol/model.ts";
import type { Caller } from "./caller.ts";
import { statusUpdateIn, type TaskEvent } from "./task-events.ts";

const STREAM_PREFIX = "task/";

/** What the table knows of a task: enough to find it and to decide whose it is, not what it says. */
export interface TaskRow {
  readonly id: string;
  readonly owner: string;
  readonly context: string;
  readonly dialect: Caller["dialect"];
  readonly state: TaskState;
  /** Milliseconds since 1970, of the last change of state. */
  readonly changed: number;
}

/** Which tasks to list; newest change first. */
export interface TaskQuery {
  readonly owner: string;
  readonly context?: string;
  readonly state?: TaskState;
  readonly changedSince?: number;
  /** Continue after this row of the page before. */
  readonly after?: Pick<TaskRow, "changed" | "id">;
  readonly limit: number;
}

/** Keeps one row a task, written with its events; pieces of artifacts do not touch it. */
export const taskTable: Projection = {
  name: "tasks",
  migrations: [
    {
      sqlite: `
        CREATE TABLE tasks (
          id TEXT PRIMARY KEY, owner TEXT NOT NULL, context TEXT NOT NULL, dialect TEXT NOT NULL,
          state TEXT NOT NULL, changed INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX tasks_by_change ON tasks (owner, changed DESC, id);
        CREATE INDEX tasks_by_context ON tasks (context, owner);
        CREATE INDEX tasks_by_state ON tasks (state, changed);`,
      postgres: `
        CREATE TABLE tasks (
          id text PRIMARY KEY, owner text NOT NULL, context text NOT NULL, dialect text NOT NULL,
          state text NOT NULL, changed bigint NOT NULL
        );
        CREATE INDEX tasks_by_change ON tasks (owner, changed DESC, id);
        CREATE INDEX tasks_by_context ON tasks (context, owner);
        CREATE INDEX tasks_by_state ON tasks (state, changed);`,
    },
  ],
  wants: ({ stream, events }) => stream.startsWith(STREAM_PREFIX) && events.some(concernsTable),
  async apply(transaction, commits) {
    for (const commit of commits) await applyCommit(transaction, commit);
  },
  async deleted(transaction, stream) {
    if (!stream.startsWith(STREAM_PREFIX)) return;
    await transaction.query("DELETE FROM tasks WHERE id = $1", [stream.slice(STREAM_PREFIX.length)]);
  },
};

function concernsTable(event: RecordedEvent): boolean {
  return event.index === 1 || statusUpdateIn(event) !== undefined;
}

async function applyCommit(transaction: SqlRunner, { stream, events }: StreamCommit): Promise<void> {
  const id = stream.slice(STREAM_PREFIX.length);
  for (const event of events) {
    const status = statusUpdateIn(event)?.status;
    if (status) {
      const sql = "UPDATE tasks SET state = $2, changed = $3 WHERE id = $1";
      await transaction.query(sql, [id, status.state, Date.parse(status.timestamp)]);
    } else if (event.index === 1) {
      await insertTask(transaction, id, events);
    }
  }
}

// A task's stream begins, in one append, with whose it is, perhaps a webhook, and then the task.
async function insertTask(transaction: SqlRunner, id: string, events: StreamCommit["events"]): Promise<void> {
  const [created, ...others] = events.slice(0, 3).map(({ payload }) => payload as TaskEvent);
  const begun = others.find((event) => "task" in event);
  if (!created || !("created" in created) || !begun) return;
  const { owner, dialect } = created.created;
  const { contextId, status } = begun.task;
  await transaction.query(
    "INSERT INTO tasks (id, owner, context, dialect, state, changed) VALUES ($1, $2, $3, $4, $5, $6)",
    [id, owner, contextId, dialect, status.state, Date.parse(status.timestamp)],
  );
}

/** The task's row, if it is this owner's: someone else's is as good as none. */
export async function findTask(
  database: SqlDatabase,
  owner: string,
  id: string,
): Promise<TaskRow | undefined> {
  const [row] = await database.query<TaskRow>("SELECT * FROM tasks WHERE id = $1 AND owner = $2", [
    id,
    owner,
  ]);
  return row;
}

/** A page of an owner's tasks, and how many there are in all. */
export async function listTasks(
  database: SqlDatabase,
  query: TaskQuery,
): Promise<{ rows: TaskRow[]; total: number }> {
  const { conditions, parameters } = conditionsOf(query);
  const where = conditions.join(" AND ");
  const [counted] = await database.query<{ total: number }>(
    `SELECT count(*) AS total FROM tasks WHERE ${where}`,
    parameters,
  );
  const { after } = query;
  const changed = `$${parameters.length + 1}`;
  const id = `$${parameters.length + 2}`;
  const limit = `$${parameters.length + (after ? 3 : 1)}`;
  const further = after ? ` AND (changed < ${changed} OR (changed = ${changed} AND id > ${id}))` : "";
  const rows = await database.query<TaskRow>(
    `SELECT * FROM tasks WHERE ${where}${further} ORDER BY changed DESC, id LIMIT ${limit}`,
    [...parameters, ...(after ? [after.changed, after.id] : []), query.limit],
  );
  return { rows, total: Number(counted?.total ?? 0) };
}

function conditionsOf({ owner, context, state, changedSince }: TaskQuery) {
  const conditions = ["owner = $1"];
  const parameters: (string | number)[] = [owner];
  const add = (condition: string, value: string | number | undefined) => {
    if (value === undefined) return;
    parameters.push(value);
    conditions.push(`${condition} $${parameters.length}`);
  };
  add("context =", context);
  add("state =", state);
  add("changed >=", changedSince);
  return { conditions, parameters };
}

/** The oldest tasks in these states that have not changed since then. */
export function tasksUnchangedSince(
  database: SqlDatabase,
  states: readonly TaskState[],
  before: number,
): Promise<TaskRow[]> {
  const names = states.map((_, position) => `$${position + 2}`).join(", ");
  const sql = `SELECT * FROM tasks WHERE changed < $1 AND state IN (${names}) ORDER BY changed LIMIT 1000`;
  return database.query<TaskRow>(sql, [before, ...states]);
}
