import { type Journal, openMemoryJournal, openSqliteJournal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { inject, onTestFinished } from "vitest";
import { Sessions } from "../../sessions.ts";
import { sessionTables } from "../tables/session-tables.ts";

/** Where a record can be kept. */
export const STORAGES = ["memory", "SQLite", "Postgres"] as const;
export type Storage = (typeof STORAGES)[number];

/** A record on a storage of its own, gone when the test ends. */
export interface Record {
  readonly journal: Journal;
  readonly sessions: Sessions;
}

/** So many nodes on one storage; only Postgres has more than one. */
export async function openNodes(storage: Storage, count: number): Promise<Record[]> {
  const open = await opener(storage);
  const nodes: Record[] = [];
  for (let node = 0; node < count; node++) {
    const journal = await open();
    onTestFinished(() => journal.close());
    nodes.push({ journal, sessions: new Sessions(journal) });
  }
  return nodes;
}

/** A record on one node. */
export async function openRecord(storage: Storage): Promise<Record> {
  const [node] = await openNodes(storage, 1);
  if (!node) throw new Error("No node was opened");
  return node;
}

async function opener(storage: Storage): Promise<() => Promise<Journal>> {
  const projections = sessionTables;
  if (storage === "memory") return async () => openMemoryJournal({ projections });
  if (storage === "SQLite") {
    const folder = await testFolder();
    return () => openSqliteJournal({ folder, projections });
  }
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  return () => openPostgresJournal({ url, projections });
}
