import type { Migration, Projection, RecordedEvent, SqlRunner } from "@parley/journal";
import { type SessionEvent, sessionIdOf } from "@parley/sessions";

const FILE = "file/";

const TABLE = (number: string) => `
  CREATE TABLE stored_usage (
    stream TEXT PRIMARY KEY, workspace TEXT NOT NULL, owner TEXT NOT NULL, kind TEXT NOT NULL, bytes ${number} NOT NULL
  );
  CREATE INDEX stored_usage_by_owner ON stored_usage (owner, workspace, kind, bytes);
  CREATE INDEX stored_usage_by_workspace ON stored_usage (workspace, kind, bytes);`;

const migrations: readonly Migration[] = [{ sqlite: TABLE("INTEGER"), postgres: TABLE("bigint") }];

/** The stored size of each session and upload, written together with its events. What older versions wrote is not counted. */
export const usageTable: Projection = {
  name: "usage",
  migrations,
  wants: ({ stream, events }) =>
    stream.startsWith(FILE) || (sessionIdOf(stream) !== undefined && !events.every(isToken)),
  async apply(transaction, commits) {
    for (const { stream, events } of commits) {
      if (stream.startsWith(FILE)) await applyFile(transaction, stream, events);
      else await applySession(transaction, stream, events);
    }
  },
  async deleted(transaction, stream) {
    if (stream.startsWith(FILE) || sessionIdOf(stream) !== undefined)
      await transaction.query("DELETE FROM stored_usage WHERE stream = $1", [stream]);
  },
};

const isToken = ({ json }: RecordedEvent) => json.startsWith('{"type":"agent_token",');

async function applySession(
  transaction: SqlRunner,
  stream: string,
  events: readonly RecordedEvent[],
): Promise<void> {
  const counted = events.filter((event) => !isToken(event));
  const bytes = counted.reduce((sum, { json }) => sum + json.length, 0);
  const [first] = counted;
  const created = first?.index === 1 ? (first.payload as SessionEvent) : undefined;
  if (created?.type === "session_created")
    return insert(transaction, [stream, created.workspace, created.owner, "session", bytes]);
  const types = counted.map(({ payload }) => (payload as SessionEvent).type);
  const kind = types.includes("session_deleted")
    ? "deleted"
    : types.includes("session_restored")
      ? "session"
      : null;
  await transaction.query(
    "UPDATE stored_usage SET bytes = bytes + $2, kind = coalesce(CAST($3 AS text), kind) WHERE stream = $1",
    [stream, bytes, kind],
  );
}

async function applyFile(
  transaction: SqlRunner,
  stream: string,
  [first]: readonly RecordedEvent[],
): Promise<void> {
  const { owner, workspace, size } = (first?.payload ?? {}) as Record<string, unknown>;
  if (typeof owner !== "string" || typeof workspace !== "string" || typeof size !== "number") return;
  await insert(transaction, [stream, workspace, owner, "file", size]);
}

async function insert(
  transaction: SqlRunner,
  row: [stream: string, workspace: string, owner: string, kind: "session" | "file", bytes: number],
): Promise<void> {
  await transaction.query(
    `INSERT INTO stored_usage (stream, workspace, owner, kind, bytes) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (stream) DO NOTHING`,
    row,
  );
}
