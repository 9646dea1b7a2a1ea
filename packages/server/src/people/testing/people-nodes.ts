import { silentLog } from "@parley/a2a";
import { type Journal, openMemoryJournal, openSqliteJournal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { Sessions, sessionTables } from "@parley/sessions";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { inject, onTestFinished } from "vitest";
import { Endings } from "../endings.ts";
import { People } from "../people.ts";
import { peopleTables } from "../people-tables.ts";
import { Shares } from "../shares.ts";

/** Where people can be kept. */
export const STORAGES = ["memory", "SQLite", "Postgres"] as const;
export type Storage = (typeof STORAGES)[number];

/** People on one node, gone when the test ends. */
export interface PeopleNode {
  readonly journal: Journal;
  readonly endings: Endings;
  readonly people: People;
  readonly sessions: Sessions;
  readonly shares: Shares;
}

/** So many nodes on one storage; only Postgres has more than one, so elsewhere each test works with one. */
export async function peopleNodes(storage: Storage, count = 2): Promise<[PeopleNode, ...PeopleNode[]]> {
  const open = await opener(storage);
  const first = await peopleNode(await open());
  if (storage !== "Postgres") return [first];
  const others = [];
  for (let number = 1; number < count; number++) others.push(await peopleNode(await open()));
  return [first, ...others];
}

/** People on a journal. */
export async function peopleNode(journal: Journal): Promise<PeopleNode> {
  const endings = new Endings(journal, silentLog);
  await endings.start();
  onTestFinished(async () => {
    await endings.stop();
    await journal.close();
  });
  const sessions = new Sessions(journal);
  const people = new People(journal, endings);
  return { journal, endings, people, sessions, shares: new Shares(journal, sessions, { endings, people }) };
}

async function opener(storage: Storage): Promise<() => Promise<Journal>> {
  const projections = [...sessionTables, ...peopleTables];
  if (storage === "memory") return async () => openMemoryJournal({ projections });
  if (storage === "SQLite") {
    const folder = await testFolder();
    return () => openSqliteJournal({ folder, projections });
  }
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  return () => openPostgresJournal({ url, projections });
}

/** Somebody whom a provider knows. */
export function profile(name: string) {
  return { issuer: "https://login.example", subject: name, name, email: `${name}@example.com` };
}

/** Resolves when a signal is aborted. */
export function aborted(signal: AbortSignal | undefined): Promise<void> {
  if (!signal) throw new Error("There is no signal");
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
