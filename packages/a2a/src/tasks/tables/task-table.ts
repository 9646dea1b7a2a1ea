import {
  clockIn,
  type Projection,
  type RecordedEvent,
  type SqlDatabase,
  type SqlRunner,
  type StreamCommit,
} from "@parley/journal";
import { namespacedTaskId } from "../../protocol/chosen-task-id.ts";
import type { TaskState } from "../../protocol/model.ts";
import type { Caller } from "../caller.ts";
import {
  deleteRequestKeys,
  insertRequestKeys,
  isReplyStream,
  keyIn,
  requestKeyMigration,
} from "../intake/request-keys.ts";
import { isPiece, statusUpdateIn, type TaskEvent, taskIdOf } from "../task-events.ts";
import { contextTable } from "./context-table.ts";

/** A task's row: enough to find it and to determine its owner, without its content. */
export interface TaskRow {
  readonly id: string;
  readonly owner: string;
  readonly context: string;
  readonly dialect: Caller["dialect"];
  readonly state: TaskState;
  /** Milliseconds since 1970, of the last change of state. */
  readonly changed: number;
}

/** A task as a list shows it, where neither artifacts nor history are asked for. */
export interface ListedTask extends TaskRow {
  /** As JSON; null in rows from before there was this column. */
  readonly status: string | null;
  readonly metadata: string | null;
}

const COLUMNS = "id, owner, context, dialect, state, changed";
const UPKEEP_PAGE = 1_000;

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

const TABLE = (text: string, number: string, kind: string) => `
  CREATE TABLE tasks (
    id ${text} PRIMARY KEY, owner ${text} NOT NULL, context ${text} NOT NULL, dialect ${text} NOT NULL,
    state ${text} NOT NULL, changed ${number} NOT NULL
  ) ${kind};
  CREATE INDEX tasks_by_change ON tasks (owner, changed DESC, id);
  CREATE INDEX tasks_by_context ON tasks (context, owner);
  CREATE INDEX tasks_by_state ON tasks (state, changed);`;

/** Keeps one row a task and one a request key, written with the events; pieces of artifacts do not touch them. */
export const taskTable: Projection = {
  name: "tasks",
  migrations: [
    { sqlite: TABLE("TEXT", "INTEGER", "WITHOUT ROWID"), postgres: TABLE("text", "bigint", "") },
    requestKeyMigration,
    {
      sqlite: "ALTER TABLE tasks ADD COLUMN agent TEXT NOT NULL DEFAULT '';",
      postgres: "ALTER TABLE tasks ADD COLUMN agent text NOT NULL DEFAULT '';",
    },
    {
      sqlite: "ALTER TABLE tasks ADD COLUMN shrunk INTEGER NOT NULL DEFAULT 0;",
      postgres: "ALTER TABLE tasks ADD COLUMN shrunk integer NOT NULL DEFAULT 0;",
    },
    // What a list shows; a row that has no status is from before.
    {
      sqlite: "ALTER TABLE tasks ADD COLUMN status TEXT; ALTER TABLE tasks ADD COLUMN metadata TEXT;",
      postgres: "ALTER TABLE tasks ADD COLUMN status text, ADD COLUMN metadata text;",
    },
    // When its state last changed, by the storage's clock; nodes that do not know the column leave it as it is.
    {
      sqlite: "ALTER TABLE tasks ADD COLUMN recorded INTEGER;",
      postgres: "ALTER TABLE tasks ADD COLUMN recorded bigint;",
    },
  ],
  wants: ({ stream, events }) =>
    taskIdOf(stream) === undefined ? isReplyStream(stream) : events.some(concernsTable),
  async apply(transaction, commits) {
    for (const commit of commits) {
      await insertRequestKeys(transaction, commit);
      await applyCommit(transaction, commit);
    }
  },
  async deleted(transaction, stream) {
    const id = taskIdOf(stream);
    if (id !== undefined) await transaction.query("DELETE FROM tasks WHERE id = $1", [id]);
    if (id !== undefined || isReplyStream(stream)) await deleteRequestKeys(transaction, stream);
  },
};

// Nearly every event is a piece, which is cheap to recognise.
function concernsTable(event: RecordedEvent): boolean {
  if (isPiece(event)) return false;
  return event.index === 1 || statusUpdateIn(event) !== undefined || keyIn(event) !== undefined;
}

async function applyCommit(transaction: SqlRunner, { stream, events }: StreamCommit): Promise<void> {
  const id = taskIdOf(stream);
  if (id === undefined) return;
  if (events[0]?.index === 1) await insertTask(transaction, id, events);
  // Only the last one can be seen: the commit is one step to all others.
  const update = events.findLast((event) => statusUpdateIn(event) !== undefined);
  const status = update && statusUpdateIn(update)?.status;
  if (!status) return;
  const recorded = clockIn(transaction);
  const sql = `UPDATE tasks SET state = $2, changed = $3, status = $4, recorded = ${recorded} WHERE id = $1`;
  await transaction.query(sql, [id, status.state, Date.parse(status.timestamp), JSON.stringify(status)]);
}

// A task's stream begins, in one append, with whose it is, perhaps a webhook, and then the task.
async function insertTask(transaction: SqlRunner, id: string, events: StreamCommit["events"]): Promise<void> {
  const [created, ...others] = events.slice(0, 3).map(({ payload }) => payload as TaskEvent);
  const begun = others.find((event) => "task" in event);
  if (!created || !("created" in created) || !begun) return;
  const { owner, dialect, agent = "" } = created.created;
  const { contextId, status, metadata } = begun.task;
  const changed = Date.parse(status.timestamp);
  const row = [id, owner, contextId, dialect, status.state, changed, agent, JSON.stringify(status)];
  await transaction.query(
    `INSERT INTO tasks (${COLUMNS}, agent, status, metadata, recorded)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${clockIn(transaction)})`,
    [...row, metadata ? JSON.stringify(metadata) : null],
  );
}

/** What a journal for tasks must be opened with. */
export const taskTables: readonly Projection[] = [taskTable, contextTable];

/** The row of the task that this owner calls so: by its id, or by the name that the owner chose for it. */
export async function findTask(
  database: SqlDatabase,
  owner: string,
  id: string,
): Promise<TaskRow | undefined> {
  const sql = `SELECT ${COLUMNS} FROM tasks WHERE id IN ($1, $2) AND owner = $3`;
  const rows = await database.query<TaskRow>(sql, [id, namespacedTaskId(owner, id), owner]);
  return rows.find((row) => row.id === id) ?? rows[0];
}

/** A page of an owner's tasks, and how many there are in all. */
export async function listTasks(
  database: SqlDatabase,
  query: TaskQuery,
): Promise<{ rows: ListedTask[]; total: number }> {
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
  const rows = await database.query<ListedTask>(
    `SELECT ${COLUMNS}, status, metadata FROM tasks WHERE ${where}${further} ORDER BY changed DESC, id LIMIT ${limit}`,
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

/** Which tasks are looked after: those in these states that have not changed since then. */
export interface UpkeepQuery {
  readonly agent: string;
  readonly states: readonly TaskState[];
  /** By the storage's clock, as by that of who changed them: neither may be wrong to a task's harm. */
  readonly unchangedSince: number;
  /** Only those that still have all their events. */
  readonly whole?: boolean;
}

/** All such tasks, the oldest first; each once, whatever becomes of them meanwhile. */
export async function* tasksUnchangedSince(
  database: SqlDatabase,
  { agent, states, unchangedSince, whole = false }: UpkeepQuery,
): AsyncGenerator<TaskRow, void, void> {
  const names = states.map((_, position) => `$${position + 5}`).join(", ");
  const since = "changed < $1 AND (recorded IS NULL OR recorded < $1)";
  const where = `${since} AND agent = $4 AND state IN (${names})${whole ? " AND shrunk = 0" : ""}`;
  const further = "(changed > $2 OR (changed = $2 AND id > $3))";
  const sql = `SELECT ${COLUMNS} FROM tasks WHERE ${where} AND ${further} ORDER BY changed, id LIMIT ${UPKEEP_PAGE}`;
  for (let last = { changed: Number.MIN_SAFE_INTEGER, id: "" }; ; ) {
    const rows = await database.query<TaskRow>(sql, [
      unchangedSince,
      last.changed,
      last.id,
      agent,
      ...states,
    ]);
    yield* rows;
    last = rows.at(-1) ?? last;
    if (rows.length < UPKEEP_PAGE) return;
  }
}

export async function agentsWithTasks(
  database: SqlDatabase,
  states: readonly TaskState[],
): Promise<readonly string[]> {
  const names = states.map((_, position) => `$${position + 1}`).join(", ");
  const sql = `SELECT DISTINCT agent FROM tasks WHERE state IN (${names})`;
  return (await database.query<{ agent: string }>(sql, states)).map(({ agent }) => agent);
}

/** Marks the task's stream as shrunk to its result. */
export async function markShrunk(database: SqlDatabase, id: string): Promise<void> {
  await database.transaction((transaction) =>
    transaction.query("UPDATE tasks SET shrunk = 1 WHERE id = $1", [id]),
  );
}
