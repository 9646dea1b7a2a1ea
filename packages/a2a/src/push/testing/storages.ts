import { type Journal, openMemoryJournal, openSqliteJournal, type Projection } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { inject, onTestFinished } from "vitest";

/** Opens a journal with these projections, on its own storage. */
export type OpenJournal = (projections: readonly Projection[]) => Promise<Journal>;

/** A database of the test's own, which any number of nodes can open. */
export async function sharedPostgres(): Promise<OpenJournal> {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  return (projections) => openPostgresJournal({ url, projections });
}

/** Every storage there is, for `describe.each`. */
export const storages: readonly (readonly [name: string, open: OpenJournal])[] = [
  ["memory", async (projections) => openMemoryJournal({ projections })],
  ["SQLite", async (projections) => openSqliteJournal({ projections, folder: await testFolder() })],
  ["Postgres", async (projections) => (await sharedPostgres())(projections)],
];
