import type { Session } from "../api/api-types.ts";
import type { DomainEvent } from "../api/domain-event.ts";
import type { Keeping } from "../cache/cache-port.ts";
import type { QueuedCommand, Refusal } from "./command.ts";
import type { SessionRecord } from "./session-record.ts";

/**
 * Whether what we have is what the server has:
 *
 *     stale ──▶ reading ──▶ current        A change, a gap or a reset makes it stale again.
 *       ▲          │
 *       └─ resting ◀┘  (the read failed; it is tried again after a while)
 */
type Freshness<Reading> =
  | { readonly name: "stale"; readonly attempt: number }
  | ({ readonly name: "reading"; readonly attempt: number; readonly request: number } & Reading)
  | { readonly name: "resting"; readonly attempt: number }
  | { readonly name: "current" };

/** Of the list: whether it changed while being read; `unwanted` if nobody looks at it. */
type ListFreshness = Freshness<{ readonly hasChanged: boolean }> | { readonly name: "unwanted" };

/** Of a session: what is heard of it while it is read, and whether the list has it meanwhile; or it is gone. */
export type SessionFreshness =
  | Freshness<{ readonly heard: readonly DomainEvent[]; readonly isListed?: true }>
  | { readonly name: "gone" };

export interface SessionList {
  readonly sessions: Readonly<Record<string, Session>>;
  /** Up to where the changes were read; "0": none was. */
  readonly cursor: string;
  /** What is known does not lead on: it is shown until there is something else. */
  readonly isOrphaned: boolean;
  readonly freshness: ListFreshness;
}

/** A session that somebody looks at. */
export interface OpenSession {
  readonly record: SessionRecord;
  /** The record does not lead on: it is shown until there is another, and then thrown away. */
  readonly isOrphaned: boolean;
  /** What is read in its place, as long as that is not whole: a page of it is no session yet. */
  readonly anew?: SessionRecord;
  readonly freshness: SessionFreshness;
  /** Nobody looks at it: it is open because something waits there for the end of a run. */
  readonly isUnseen?: true;
}

/** The state of a client. */
export interface SyncState {
  readonly connection: "offline" | "connecting" | "live";
  readonly list: SessionList;
  readonly open: Readonly<Record<string, OpenSession>>;
  /** The session that the user is in. */
  readonly current?: string;
  readonly queue: readonly QueuedCommand[];
  /** Whether it is for us to send what is in the queue; else another tab does. */
  readonly isLeading: boolean;
  readonly lastError?: Refusal;
  /** The server has another record than the one that we knew: it was set up anew, or restored from a backup. */
  readonly isReset?: true;
  /** How long what is kept here lasts. */
  readonly keeping: Keeping;
  /** How many reads there were: an answer is known by its number, so that one that comes too late is none. */
  readonly requests: number;
}

/** The state of a client that has just been started. */
export const INITIAL_STATE: SyncState = {
  connection: "connecting",
  list: { sessions: {}, cursor: "0", isOrphaned: false, freshness: { name: "stale", attempt: 0 } },
  open: {},
  queue: [],
  isLeading: true,
  keeping: { name: "memory", reason: "chosen" },
  requests: 0,
};
