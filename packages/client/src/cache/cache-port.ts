import type { QueuedCommand } from "../sync/command.ts";
import type { SessionRecord } from "../sync/session-record.ts";
import type { KeptList } from "../sync/sync-event.ts";

/** What is kept, by kind. */
export interface CacheContents {
  /** Under the id `list`. */
  readonly list: KeptList;
  /** Under the session's id. */
  readonly sessions: SessionRecord;
  /** Under the command's key. */
  readonly commands: QueuedCommand;
  /** Under the session's id: drafts, scroll positions, panels, preferences; what is in it is the page's business. */
  readonly bags: unknown;
}

/** What kinds of things are kept. */
export type CacheKind = keyof CacheContents;

/** Where a client keeps what it knows, plain data all of it; it may be emptied at any time. */
export interface CachePort {
  load<Kind extends CacheKind>(kind: Kind, id: string): Promise<CacheContents[Kind] | undefined>;
  /** All of a kind, in no order. */
  loadAll<Kind extends CacheKind>(kind: Kind): Promise<readonly CacheContents[Kind][]>;
  /** Resolves when it is safe. */
  save<Kind extends CacheKind>(kind: Kind, id: string, value: CacheContents[Kind]): Promise<void>;
  remove(kind: CacheKind, id: string): Promise<void>;
}
