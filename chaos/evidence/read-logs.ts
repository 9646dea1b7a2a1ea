import { pushTable, taskTables } from "@parley/a2a";
import { type Journal, openSqliteJournal, type RecordedEvent } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { sessionTables } from "@parley/sessions";
import { contentOf, rebuiltContent } from "@parley/sessions/testing/rebuilt-tables.ts";
import type { LoggedStream, Tables } from "./evidence.ts";

const SESSION = "session/";
const WORKSPACE = "workspace/";
/** Whoever opens a journal has to know all its tables. */
const TASKS = [...taskTables, pushTable()];

interface StreamRow {
  readonly name: string;
  readonly head: number;
  readonly trimmed: number;
}

/** The nodes' log, and the record's tables as they are and as the log makes them. */
export async function readNodesLog(url: string): Promise<{
  readonly streams: Map<string, LoggedStream>;
  readonly tables: { live: Tables; rebuilt: Tables };
}> {
  const journal = await openPostgresJournal({ url, projections: [...TASKS, ...sessionTables] });
  try {
    const rows = await journal.database.query<StreamRow>(
      "SELECT name, head, trimmed FROM streams WHERE NOT deleted ORDER BY id",
    );
    const named = (prefix: string) =>
      rows.flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
    const live = await contentOf(journal.database);
    const rebuilt = await rebuiltContent(journal, named(SESSION), named(WORKSPACE));
    return { streams: await readStreams(journal, rows, ""), tables: { live, rebuilt } };
  } finally {
    await journal.close();
  }
}

/** The log of an agent that has its own, in its data folder; nobody may have it open. */
export async function readAgentLog(folder: string, name: string): Promise<Map<string, LoggedStream>> {
  const journal = await openSqliteJournal({ folder, projections: TASKS });
  try {
    const rows = await journal.database.query<{ name: string; trimmed: number }>(
      "SELECT name, trimmed FROM streams WHERE deleted = 0 ORDER BY id",
    );
    const heads = await Promise.all(
      rows.map(async (row) => ({ ...row, head: await journal.head(row.name) })),
    );
    return await readStreams(journal, heads, `${name}:`);
  } finally {
    await journal.close();
  }
}

async function readStreams(
  journal: Journal,
  rows: readonly StreamRow[],
  prefix: string,
): Promise<Map<string, LoggedStream>> {
  const streams = new Map<string, LoggedStream>();
  for (const { name, head, trimmed } of rows) {
    // A lease makes a stream's row before its first event does; such a stream cannot be read.
    if (head === 0) continue;
    const events = (await allAfter(journal, name, trimmed)).map(({ index, at, json }) => ({
      index,
      at,
      json,
    }));
    streams.set(prefix + name, { name: prefix + name, head, trimmed, events });
  }
  return streams;
}

async function allAfter(journal: Journal, stream: string, trimmed: number): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (;;) {
    const page = await journal.read(stream, events.at(-1)?.index ?? trimmed);
    if (page.length === 0) return events;
    events.push(...page);
  }
}
