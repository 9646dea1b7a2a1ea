import type { Session, SessionChanges, SessionReading } from "../api/api-types.ts";
import type { DomainEvent } from "../api/domain-event.ts";
import type { Keeping } from "../cache/cache-port.ts";
import type { Command, QueuedCommand, Refusal } from "./command.ts";
import type { SessionRecord } from "./session-record.ts";
import type { SyncState } from "./sync-state.ts";

/** Why something did not work, and whether it may the next time. */
export interface Failure extends Refusal {
  readonly isTransient: boolean;
  readonly retryAfterMs?: number;
}

/** What waits before it is tried again. */
export type Resting =
  | { readonly what: "command"; readonly key: string }
  | { readonly what: "session"; readonly sessionId: string }
  | { readonly what: "list" };

export interface KeptList {
  readonly sessions: Readonly<Record<string, Session>>;
  readonly cursor: string;
}

/** Everything that can happen to a client. */
export type SyncEvent =
  | { readonly type: "loaded"; readonly list?: KeptList; readonly commands: readonly QueuedCommand[] }
  | { readonly type: "online" }
  | { readonly type: "offline" }
  | {
      readonly type: "feedOpened";
      readonly isResumed: boolean;
      readonly places: Readonly<Record<string, number>>;
    }
  | { readonly type: "feedClosed"; readonly failure?: Failure }
  | { readonly type: "eventHeard"; readonly event: DomainEvent }
  /** What is known of this session, or of all ("*"), does not lead on. */
  | { readonly type: "reset"; readonly sessionId: string }
  | { readonly type: "sessionGone"; readonly sessionId: string }
  | { readonly type: "listChanged" }
  /** The newest sessions, for a first look. */
  | { readonly type: "listed"; readonly sessions: readonly Session[] }
  | { readonly type: "changesRead"; readonly request: number; readonly changes: SessionChanges }
  | { readonly type: "changesFailed"; readonly request: number; readonly failure: Failure }
  | {
      readonly type: "sessionRead";
      readonly sessionId: string;
      readonly request: number;
      readonly reading: Pick<SessionReading, "events" | "next" | "reset">;
    }
  | {
      readonly type: "sessionFailed";
      readonly sessionId: string;
      readonly request: number;
      readonly failure: Failure;
    }
  | { readonly type: "rested"; readonly of: Resting }
  /** The user goes to a session, or only looks at it beside another; `record` is what was kept of it. */
  | {
      readonly type: "opened";
      readonly sessionId: string;
      readonly record?: SessionRecord;
      readonly isBeside?: boolean;
      /** Nobody looks at it. */
      readonly isUnseen?: true;
    }
  | { readonly type: "closed"; readonly sessionId: string }
  | {
      readonly type: "queued";
      readonly key: string;
      readonly command: Command;
      readonly at: string;
      /** To be sent when no agent is at work in its session. */
      readonly isNext?: true;
    }
  /** The user does not want a command to wait for the end of a run. */
  | { readonly type: "sendNow"; readonly key: string }
  | { readonly type: "acknowledged"; readonly key: string }
  | { readonly type: "failed"; readonly key: string; readonly failure: Failure }
  /** The user wants a refused command tried again, or not any more. */
  | { readonly type: "retried"; readonly key: string }
  | { readonly type: "discarded"; readonly key: string }
  /** From now on it is for us to send what is in the queue, also what others have kept. */
  | { readonly type: "leading"; readonly commands: readonly QueuedCommand[] }
  /** A command as another tab has it. */
  | { readonly type: "commandTold"; readonly entry: QueuedCommand }
  /** What is kept lasts longer than we thought, or less long. */
  | { readonly type: "keepingChanged"; readonly keeping: Keeping }
  /** Something could not be kept: it will be missing after a reload. */
  | { readonly type: "keepingFailed"; readonly failure: Failure }
  | { readonly type: "errorDismissed" };

/** The event of this type. */
export type SyncEventOf<Type extends SyncEvent["type"]> = Extract<SyncEvent, { type: Type }>;

/** What the engine has to do; a result comes back as an event. */
export type Effect =
  | { readonly type: "readList" }
  | { readonly type: "readChanges"; readonly since: string; readonly request: number }
  | {
      readonly type: "readSession";
      readonly sessionId: string;
      readonly since: number;
      readonly request: number;
    }
  /** After the command was kept. */
  | { readonly type: "send"; readonly key: string; readonly command: Command }
  | {
      readonly type: "rest";
      readonly of: Resting;
      readonly attempt: number;
      readonly atLeastMs: number;
    }
  | { readonly type: "keepCommand"; readonly command: QueuedCommand }
  | { readonly type: "dropCommand"; readonly key: string }
  /** The events are those that led to the record from what was kept before; undefined: nothing does. */
  | {
      readonly type: "keepSession";
      readonly record: SessionRecord;
      readonly events?: readonly DomainEvent[];
    }
  | { readonly type: "dropSession"; readonly sessionId: string }
  /** Of all of them what is kept; what the user wrote stays. */
  | { readonly type: "dropSessions" }
  | { readonly type: "keepList"; readonly list: KeptList };

/** The new state and the effects of an event. */
export interface Step {
  readonly state: SyncState;
  readonly effects: readonly Effect[];
}
