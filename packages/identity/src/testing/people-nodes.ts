import { type Journal, openMemoryJournal, openSqliteJournal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { inject, onTestFinished } from "vitest";
import { People } from "../people/people.ts";
import { peopleTable } from "../people/people-tables.ts";
import { Revocations } from "../people/revocations.ts";
import type { IdentityLog } from "../ports.ts";

/** Where people can be kept. */
export const JOURNAL_STORAGES = ["memory", "SQLite", "Postgres"] as const;
type StorageName = (typeof JOURNAL_STORAGES)[number];

/** People on one node, gone when the test ends. */
export interface PeopleNode {
  readonly journal: Journal;
  readonly revocations: Revocations;
  readonly people: People;
}

/** So many nodes on one storage; only Postgres has more than one, so elsewhere each test works with one. */
export async function peopleNodes(storage: StorageName, count = 2): Promise<[PeopleNode, ...PeopleNode[]]> {
  const open = await opener(storage);
  const first = await peopleNode(await open());
  if (storage !== "Postgres") return [first];
  const others = [];
  for (let number = 1; number < count; number++) others.push(await peopleNode(await open()));
  return [first, ...others];
}

/** People on a journal. */
async function peopleNode(journal: Journal): Promise<PeopleNode> {
  const revocations = new Revocations(journal, discardLog);
  await revocations.start();
  onTestFinished(async () => {
    await revocations.stop();
    await journal.close();
  });
  return { journal, revocations, people: new People(journal, revocations) };
}

async function opener(storage: StorageName): Promise<() => Promise<Journal>> {
  const projections = [peopleTable(() => undefined)];
  if (storage === "memory") return async () => openMemoryJournal({ projections });
  if (storage === "SQLite") {
    const folder = await testFolder();
    return () => openSqliteJournal({ folder, projections });
  }
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  return () => openPostgresJournal({ url, projections });
}

/** Discards every line. */
export const discardLog: IdentityLog = { info() {}, warn() {}, error() {} };

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
