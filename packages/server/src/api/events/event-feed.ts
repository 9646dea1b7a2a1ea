import { FairQueue, type SseResponse, sseFrame } from "@parley/a2a";
import { problemOf } from "@parley/adapters";
import { FollowerCutError, StorageError } from "@parley/journal";
import {
  CommandRefusedError,
  CursorResetError,
  type LiveThoughts,
  type Principal,
  type RecordedSessionEvent,
  type SessionEvent,
  type Sessions,
  type Thought,
} from "@parley/sessions";
import type { Logger } from "pino";
import { type EventView, eventView } from "../views/message-view.ts";
import type { EventCursor } from "./event-cursor.ts";

/** How many characters are encoded at once, which bounds what waits for a slow reader. */
const CHUNK_LENGTH = 65_536;
/** Larger batches, and users with many streams, take turns: one chunk in each turn of the event loop. */
const MAX_LIVE_EVENTS = 20;
const chunks = new FairQueue({ total: 1 });
const MAX_THOUGHTS = 100;

/** What one event stream needs. */
export interface FeedOptions {
  readonly sessions: Sessions;
  readonly principal: Principal;
  readonly sse: SseResponse;
  /** Where the reader is; advances with each event that is written. */
  readonly cursor: EventCursor;
  readonly log: Logger;
  readonly thoughts: Pick<LiveThoughts, "follow">;
  /** Whether its user has so many streams that others are served first. */
  readonly isCrowded?: () => boolean;
  /** Waits for the reader's turn at the event loop. */
  readonly turn?: (() => Promise<Disposable>) | undefined;
  readonly view?: EventView | undefined;
}

/** Writes the events of many sessions to one connection, one write at a time; each waits until the reader can take it. */
export class EventFeed {
  readonly #options: FeedOptions;
  readonly #thoughts: (Thought & { readonly sessionId: string })[] = [];
  #turn: Promise<void> = Promise.resolve();
  /** The reader has lost access: pending writes are dropped. */
  #isOver = false;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Aborted when the stream has ended or its reader is gone. */
  get signal(): AbortSignal {
    return this.#options.sse.closed;
  }

  /** Writes a session's events after the cursor's index as they come, until `enough` returns true after a batch. */
  async follow(
    sessionId: string,
    enough: (last: RecordedSessionEvent) => boolean | Promise<boolean> = () => false,
  ): Promise<void> {
    const { sessions, principal, cursor, thoughts } = this.#options;
    const stopThinking = thoughts.follow(sessionId, (thought) => this.#think(sessionId, thought));
    try {
      while (!this.signal.aborted) {
        try {
          const batches = sessions.follow(principal, sessionId, cursor.of(sessionId) ?? 0, this.signal);
          for await (const batch of batches) {
            await this.#events(sessionId, batch);
            const last = batch.at(-1);
            if (last && (await enough(last))) return;
          }
          return;
        } catch (error) {
          if (!(error instanceof CursorResetError)) throw error;
          await this.reset(sessionId, (await sessions.state(principal, sessionId)).index);
        }
      }
    } finally {
      stopThinking();
    }
  }

  /** Tells the reader to reload a session, which continues after this index. */
  reset(sessionId: string, index: number): Promise<void> {
    this.#options.cursor.set(sessionId, index);
    return this.notice({ event: "reset", data: { sessionId, index } });
  }

  notice(notice: Notice): Promise<void> {
    return this.#write(() => noticeFrame(notice, this.#options.cursor));
  }

  /** Runs the work until it is done or the reader is gone; a failure ends the connection, and the reader resumes by its cursor. */
  async run(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const isExpected =
        this.signal.aborted ||
        error instanceof FollowerCutError ||
        error instanceof StorageError ||
        error instanceof CommandRefusedError;
      if (!isExpected) this.#options.log.error({ err: error }, "event stream failed");
      this.end();
    }
  }

  end(): void {
    this.#options.sse.end();
  }

  /** Ends the stream with the reason as soon as its reader loses access. */
  endWith(ended: AbortSignal | undefined): void {
    if (!ended) return;
    const end = async () => {
      const { sse, cursor } = this.#options;
      const { message = "You no longer have access" } = problemOf(ended.reason) ?? {};
      this.#isOver = true;
      await this.#turn;
      const data = { code: "not_authenticated", detail: message } as const;
      await sse.write(noticeFrame({ event: "ended", data }, cursor));
      this.end();
    };
    const onAbort = () => void this.run(end);
    ended.addEventListener("abort", onAbort, { signal: this.signal });
    if (ended.aborted) onAbort();
  }

  /** Sends a thought; for slow readers the oldest pending ones are dropped. */
  #think(sessionId: string, thought: Thought): void {
    // The first one is being written.
    if (this.#thoughts.push({ sessionId, ...thought }) > MAX_THOUGHTS) this.#thoughts.splice(1, 1);
    if (this.#thoughts.length > 1) return;
    void this.run(async () => {
      for (let next = this.#thoughts[0]; next; next = this.#thoughts[0]) {
        await this.notice({ event: "thinking", data: next });
        this.#thoughts.shift();
      }
    });
  }

  async #events(sessionId: string, batch: readonly RecordedSessionEvent[]): Promise<void> {
    const { cursor, isCrowded, view = eventView } = this.#options;
    const isLarge = batch.length > MAX_LIVE_EVENTS || isCrowded?.() === true;
    for (let at = 0; at < batch.length && !this.signal.aborted; ) {
      const piece = () => {
        let frames = "";
        for (let event = batch[at]; event && frames.length < CHUNK_LENGTH; event = batch[++at])
          frames += eventFrame(sessionId, event, { cursor, view });
        return frames;
      };
      await this.#write(piece, isLarge);
    }
  }

  #write(frames: () => string, isLarge = false): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      const { sse } = this.#options;
      using turn = isLarge ? await this.#ownTurn() : undefined;
      if (this.signal.aborted || this.#isOver) return;
      const written = sse.write(frames());
      // A slow reader must not hold up others.
      turn?.[Symbol.dispose]();
      await written;
    });
    return this.#turn;
  }

  /** Waits behind other users. */
  async #ownTurn(): Promise<Disposable | undefined> {
    const { workspace, owner: user } = this.#options.principal;
    const turn = await this.#options.turn?.();
    using _ = await chunks.enter({ workspace, user });
    await new Promise(setImmediate);
    return turn;
  }
}

/** Events of the stream itself, not of a session. */
type Notice =
  /** Comes first: the index after which each session is followed. */
  | { readonly event: "ready"; readonly data: { readonly sessions: Readonly<Record<string, number>> } }
  /** The client must reload the session; the stream continues after `index`. */
  | { readonly event: "reset"; readonly data: { readonly sessionId: string; readonly index: number } }
  /** There is no such session. */
  | { readonly event: "gone"; readonly data: { readonly sessionId: string } }
  /** A session of the workspace was created, updated or deleted. */
  | {
      readonly event: "session_changed";
      readonly data: { readonly sessionId: string; readonly change: "created" | "updated" | "deleted" };
    }
  /** Comes last: the reader has lost access. */
  | {
      readonly event: "ended";
      readonly data: { readonly code: "not_authenticated"; readonly detail: string };
    }
  /** What an agent thinks now: not part of the session, and not sent again. */
  | { readonly event: "thinking"; readonly data: Thought & { readonly sessionId: string } };

/** All followers of a session share its payloads, so each is serialized only once in each view. */
const TEXTS = new WeakMap<EventView, WeakMap<SessionEvent, string>>();

/** Encodes a session's event and advances the cursor. */
function eventFrame(
  sessionId: string,
  recorded: RecordedSessionEvent,
  { cursor, view }: { readonly cursor: EventCursor; readonly view: EventView },
): string {
  cursor.set(sessionId, recorded.index);
  return sseFrame(textOf(sessionId, recorded, view), { id: `${cursor}` });
}

function noticeFrame({ event, data }: Notice, cursor: EventCursor): string {
  return sseFrame(JSON.stringify(data), { event, id: `${cursor}` });
}

function textOf(sessionId: string, recorded: RecordedSessionEvent, view: EventView): string {
  const texts = TEXTS.get(view) ?? new WeakMap<SessionEvent, string>();
  TEXTS.set(view, texts);
  let text = texts.get(recorded.event);
  if (text === undefined) {
    text = JSON.stringify(view(sessionId, recorded));
    texts.set(recorded.event, text);
  }
  return text;
}
