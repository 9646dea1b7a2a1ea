import { type DomainEvent, isDomainEvent } from "../api/domain-event.ts";
import type { Failure } from "../sync/sync-event.ts";

export type FeedItem =
  /** A connection stands. Where it is not resumed, what happened before is to be read in another way. */
  | {
      readonly type: "opened";
      readonly isResumed: boolean;
      /** From where each of these sessions is followed. */
      readonly places: Readonly<Record<string, number>>;
    }
  | { readonly type: "event"; readonly event: DomainEvent }
  /** What is known of this session ("*": of all) does not lead on. */
  | { readonly type: "reset"; readonly sessionId: string; readonly index: number }
  /** There is no such session. */
  | { readonly type: "gone"; readonly sessionId: string }
  /** A session of the workspace came, changed or went. */
  | { readonly type: "changed"; readonly sessionId: string }
  /** The connection ended; there will be another. */
  | { readonly type: "closed"; readonly failure?: Failure }
  /** This tab is the one that acts for all, from now on. */
  | { readonly type: "leading" };

/** Events as they happen, each once. */
export interface Feed {
  /** Reads until the signal is aborted; throws when it is refused for a reason that trying again does not change. */
  read(signal: AbortSignal): AsyncGenerator<FeedItem, void, undefined>;
}

/** Reads one message of the stream; undefined: it is of a kind that a newer server has. */
export function feedItemOf(name: string | undefined, data: string, isResumed: boolean): FeedItem | undefined {
  const value: unknown = JSON.parse(data);
  if (name === undefined || name === "message")
    return isDomainEvent(value) ? { type: "event", event: value } : undefined;
  const { sessions, sessionId, index } = value as NoticeData;
  if (name === "ready") return { type: "opened", isResumed, places: sessions ?? {} };
  if (sessionId === undefined) return undefined;
  switch (name) {
    case "reset":
      return { type: "reset", sessionId, index: index ?? 0 };
    case "gone":
      return { type: "gone", sessionId };
    case "session_changed":
      return { type: "changed", sessionId };
    default:
      return undefined;
  }
}

interface NoticeData {
  readonly sessions?: Readonly<Record<string, number>>;
  readonly sessionId?: string;
  readonly index?: number;
}
