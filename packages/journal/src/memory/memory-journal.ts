import { MemoryBlobs } from "../blobs/memory-blobs.ts";
import type { Journal } from "../journal.ts";
import { type JournalOptions, StoredJournal } from "../stored-journal.ts";
import { MemoryStore } from "./memory-store.ts";

export type MemoryJournalOptions = JournalOptions;

/** A journal that is gone with the process, for tests and for trying things out. */
export function openMemoryJournal(options: MemoryJournalOptions = {}): Journal {
  return new StoredJournal(new MemoryStore(options.projections ?? []), new MemoryBlobs(), options);
}
