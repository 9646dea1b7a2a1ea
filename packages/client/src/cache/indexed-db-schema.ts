import type { DBSchema, IDBPDatabase } from "idb";
import type { QueuedCommand } from "../sync/command.ts";
import type { KeptList } from "../sync/sync-event.ts";

/** How the cache lies in the database. */
export interface CacheSchema extends DBSchema {
  list: { key: string; value: KeptList };
  commands: { key: string; value: QueuedCommand };
  bags: { key: string; value: unknown };
  /** The record as JSON: one get, and much faster to read than an object. */
  sessions: { key: string; value: string };
  /** Events that follow upon the record, in pieces as they were kept. */
  events: {
    key: number;
    value: { readonly sessionId: string; readonly text: string };
    indexes: { sessionId: string };
  };
  /** How much each session takes, and in which order they were used. */
  uses: { key: string; value: SessionUse; indexes: { used: number } };
}

/** How much a session takes, and when it was used: a higher number is later. */
export interface SessionUse {
  readonly id: string;
  readonly used: number;
  readonly size: number;
}

/** Goes up with every change of the above. */
export const CACHE_VERSION = 2;

/** What the user wrote outlives a change of the schema; all else is read from the server again. */
const LASTING = ["commands", "bags"];

/** Makes the database what this version needs, whatever it was. */
export function upgradeCache(database: IDBPDatabase<CacheSchema>): void {
  for (const name of [...database.objectStoreNames])
    if (!LASTING.includes(name)) database.deleteObjectStore(name);
  for (const name of ["list", "commands", "bags", "sessions"] as const)
    if (!database.objectStoreNames.contains(name)) database.createObjectStore(name);
  database.createObjectStore("events", { autoIncrement: true }).createIndex("sessionId", "sessionId");
  database.createObjectStore("uses", { keyPath: "id" }).createIndex("used", "used");
}
