import { type Journal, openMemoryJournal, type RecordedEvent, type SqlDatabase } from "@parley/journal";
import { sessionStream, workspaceStream } from "../../session-streams.ts";
import { sessionTables } from "../tables/session-tables.ts";

/** Each table with what makes a row of it the same row; numbers that count rows as they came are left out. */
const TABLES: Readonly<Record<string, string>> = {
  sessions: "session_id",
  session_messages: "session_id, message_index",
  agent_runs: "run_id",
  session_events: "session_id, event_index",
  session_forks: "fork_id",
  session_approvals: "session_id, approval_id",
  session_request_keys: "owner, key",
  message_histories: "session_id, message_index",
};
const COUNTERS = new Set(["id", "number"]);

/** All that the tables say, to compare. */
export async function contentOf(database: SqlDatabase): Promise<Record<string, unknown[]>> {
  const content: Record<string, unknown[]> = {};
  for (const [table, order] of Object.entries(TABLES)) {
    const rows = await database.query(`SELECT * FROM ${table} ORDER BY ${order}`);
    content[table] = rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([column]) => !COUNTERS.has(column))),
    );
  }
  const search = await database.query("SELECT session_id, message_index FROM session_search ORDER BY 1, 2");
  return { ...content, session_search: search.map((row) => ({ ...row })) };
}

/** What the tables say when they are made anew from nothing but the log. */
export async function rebuiltContent(
  journal: Journal,
  sessionIds: readonly string[],
  workspaces: readonly string[],
): Promise<Record<string, unknown[]>> {
  const other = openMemoryJournal({ projections: sessionTables });
  const streams = [...sessionIds.map(sessionStream), ...workspaces.map(workspaceStream)];
  for (const stream of streams) {
    const commit = { stream, events: await allOf(journal, stream) };
    await other.database.transaction(async (transaction) => {
      for (const table of sessionTables) if (table.wants(commit)) await table.apply(transaction, [commit]);
    });
  }
  const content = await contentOf(other.database);
  await other.close();
  return content;
}

async function allOf(journal: Journal, stream: string): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (;;) {
    const page = await journal.read(stream, events.length);
    if (page.length === 0) return events;
    events.push(...page);
  }
}
