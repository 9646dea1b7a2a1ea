import { JournalError } from "@parley/journal";
import { pino } from "pino";
import type { DataPlace } from "../data-place.ts";
import { journalTables } from "../journal-tables.ts";
import { openJournal } from "../open-journal.ts";
import { StartError } from "../start-error.ts";
import { LOCAL } from "./identity.ts";
import { KeyBook, type KeyDescription, type KeyRequest } from "./key-book.ts";

/** A key, and what to send with requests, which is told once. */
export interface MadeKey {
  readonly key: KeyDescription;
  readonly secret: string;
}

/** Makes a key where the data is, without a server: so there can be a first one. Throws a `StartError` where it cannot. */
export async function makeFirstKey(place: DataPlace, request: KeyRequest): Promise<MadeKey> {
  const journal = await openJournal(place, journalTables()).catch((error: unknown) => {
    throw error instanceof JournalError ? new StartError(error.message) : error;
  });
  try {
    const keys = await KeyBook.open(journal, pino({ level: "silent" }));
    const made = await keys.create(request, { ...LOCAL, name: "command line" });
    await keys.close();
    return made;
  } finally {
    await journal.close();
  }
}
