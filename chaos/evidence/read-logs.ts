import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type Journal,
  openSqliteJournal,
  type Projection,
  type RecordedEvent,
  UnknownStreamError,
} from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { contentOf, rebuiltContent } from "@parley/sessions/testing/rebuilt-tables.ts";
import { withClient } from "../world/database.ts";
import type { LoggedStream, Tables } from "./evidence.ts";

const SESSION = "session/";
const WORKSPACE = "workspace/";
const VERSIONS = "SELECT component, version FROM schema_versions";
/** Owned by the journal itself. */
const JOURNAL = "journal";

interface StreamRow {
  readonly name: string;
  readonly head: number;
  readonly trimmed: number;
}

/** The nodes' log, and the projection's tables live and rebuilt. */
export async function readNodesLog(url: string): Promise<{
  readonly streams: Map<string, LoggedStream>;
  readonly tables: { live: Tables; rebuilt: Tables };
}> {
  const versions = await withClient(url, (client) =>
    client.query<InstalledTables>(VERSIONS.replace("schema_versions", "parley.schema_versions")),
  );
  const journal = await openPostgresJournal({ url, projections: lookedAt(versions.rows) });
  try {
    const rows = await journal.database.query<StreamRow>(
      // A stream's row may exist before its first event.
      "SELECT name, head, trimmed FROM streams WHERE NOT deleted AND head > 0 ORDER BY id",
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

/** The log in the data folder of a standalone agent, which must not be running. */
export async function readAgentLog(folder: string, name: string): Promise<Map<string, LoggedStream>> {
  const database = new DatabaseSync(join(folder, "journal.db"), { readOnly: true });
  const versions = database.prepare(VERSIONS).all() as unknown as InstalledTables[];
  database.close();
  const journal = await openSqliteJournal({ folder, projections: lookedAt(versions) });
  try {
    const rows = await journal.database.query<{ name: string; trimmed: number }>(
      "SELECT name, trimmed FROM streams WHERE deleted = 0 ORDER BY id",
    );
    const heads = await Promise.all(
      rows.map(async (row) => ({ ...row, head: await headOf(journal, row.name) })),
    );
    return await readStreams(
      journal,
      heads.filter(({ head }) => head > 0),
      `${name}:`,
    );
  } finally {
    await journal.close();
  }
}

/** 0 for a stream without events. */
async function headOf(journal: Journal, stream: string): Promise<number> {
  return journal.head(stream).catch((error: unknown) => {
    if (error instanceof UnknownStreamError) return 0;
    throw error;
  });
}

interface InstalledTables {
  readonly component: string;
  readonly version: number;
}

/** Projection stubs for tables that are only read: any installed version is accepted. */
function lookedAt(installed: readonly InstalledTables[]): Projection[] {
  return installed
    .filter(({ component }) => component !== JOURNAL)
    .map(({ component, version }) => ({
      name: component,
      migrations: Array.from({ length: version }, () => ({ sqlite: "", postgres: "" })),
      wants: () => false,
      apply: async () => {},
      deleted: async () => {},
    }));
}

async function readStreams(
  journal: Journal,
  rows: readonly StreamRow[],
  prefix: string,
): Promise<Map<string, LoggedStream>> {
  const streams = new Map<string, LoggedStream>();
  for (const { name, head, trimmed } of rows) {
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
