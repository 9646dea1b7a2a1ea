import type { DomainEvent } from "../api/domain-event.ts";
import type { QueuedCommand } from "../sync/command.ts";
import type { SessionRecord } from "../sync/session-record.ts";
import type { KeptList } from "../sync/sync-event.ts";

/** What is kept whole, by kind. */
export interface CacheContents {
  /** Under the id `list`. */
  readonly list: KeptList;
  /** Under the command's key. */
  readonly commands: QueuedCommand;
  /** The UI state of a session (drafts, scroll positions, panels), under its id; the page decides what is in it. */
  readonly bags: unknown;
}

/** What kinds of things are kept whole. */
export type CacheKind = keyof CacheContents;

/** Something that is kept whole from now on, or, where it is undefined, not any more. */
export type CacheChange = {
  readonly [Kind in CacheKind]: {
    readonly kind: Kind;
    readonly id: string;
    readonly value: CacheContents[Kind] | undefined;
  };
}[CacheKind];

/** A session as it was once, and what happened in it since. */
export interface KeptSession {
  readonly record: SessionRecord;
  readonly events: readonly DomainEvent[];
}

/** How long what is kept lasts: until the browser or the user clears it, or as long as the page, for this reason. */
export type Keeping =
  | { readonly name: "lasting" }
  | { readonly name: "memory"; readonly reason: MemoryReason };

/** Nothing else was wanted; there is no database; it broke; it belongs to a newer page. */
export type MemoryReason = "chosen" | "refused" | "broken" | "outdated";

/** How much of sessions is kept. Those that were not used for longest go first; commands and UI state stay. */
export interface CacheLimits {
  readonly maxSessions: number;
  /** Of their records and events, as JSON. */
  readonly maxCharacters: number;
}

/** Enough for months, and little to a browser. */
export const DEFAULT_CACHE_LIMITS: CacheLimits = { maxSessions: 500, maxCharacters: 50_000_000 };

/** Where a client stores plain data; it may be cleared at any time. */
export interface CachePort {
  readonly keeping: Keeping;
  /** Calls the listener when that changes, until the returned function is called. */
  subscribe(listener: (keeping: Keeping) => void): () => void;
  load<Kind extends CacheKind>(kind: Kind, id: string): Promise<CacheContents[Kind] | undefined>;
  /** All of a kind, in no order. */
  loadAll<Kind extends CacheKind>(kind: Kind): Promise<readonly CacheContents[Kind][]>;
  /** Resolves when it is safe. */
  save<Kind extends CacheKind>(kind: Kind, id: string, value: CacheContents[Kind]): Promise<void>;
  /** In their order, and all of them or none, whatever happens meanwhile. Resolves when they are safe. */
  change(changes: readonly CacheChange[]): Promise<void>;
  loadSession(id: string): Promise<KeptSession | undefined>;
  /** In place of all that was kept of the session. */
  saveSession(record: SessionRecord): Promise<void>;
  /** Costs what the events cost, not what the session does; false: there is no record that they could follow upon. */
  addEvents(sessionId: string, events: readonly DomainEvent[]): Promise<boolean>;
  removeSession(id: string): Promise<void>;
  /** All sessions; what the user wrote stays. */
  removeSessions(): Promise<void>;
}

/** The browser has no room left, although all that could be spared was deleted. */
export class CacheFullError extends Error {
  override readonly name = "CacheFullError";

  constructor(cause: unknown) {
    super("The browser has no room left: what you do now is lost when the page is closed. Free some space.", {
      cause,
    });
  }
}
