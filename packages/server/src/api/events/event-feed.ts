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
import { eventView } from "../views/message-view.ts";
import type { EventCursor } from "./event-cursor.ts";

/** So many characters are made of events at once: what waits for a slow reader is hardly more. */
const ENOUGH_AT_ONCE = 65_536;
/** For larger batches, and for users with many streams, users take turns: one piece in each turn of the event loop. */
const LIVE_EVENTS = 20;
const pieces = new FairQueue({ total: 1 });
const MAX_THOUGHTS = 100;

/** What one connection is fed from. */
export interface FeedOptions {
  readonly sessions: Sessions;
  readonly principal: Principal;
  readonly sse: SseResponse;
  /** Where the reader is; it moves with what is written. */
  readonly cursor: EventCursor;
  readonly log: Logger;
  readonly thoughts: Pick<LiveThoughts, "follow">;
  /** Whether its user has so many streams that others go first. */
  readonly isCrowded?: () => boolean;
  /** Waits for the reader's turn at the event loop. */
  readonly turn?: () => Promise<Disposable>;
}

/** Many sessions on one connection. All writes take turns, and each waits until the reader can take it. */
export class EventFeed {
  readonly #options: FeedOptions;
  readonly #thoughts: (Thought & { readonly sessionId: string })[] = [];
  #turn: Promise<void> = Promise.resolve();
  /** Its reader may not read on: what waits for its turn is not told any more. */
  #isOver = false;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Aborted when it has ended, or its reader is gone. */
  get signal(): AbortSignal {
    return this.#options.sse.closed;
  }

  /** Writes a session's events after the cursor's place as they come, until `enough` says so after some of them. */
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

  /** Tells the reader that a session goes on from another place than its own. */
  reset(sessionId: string, index: number): Promise<void> {
    this.#options.cursor.set(sessionId, index);
    return this.notice({ event: "reset", data: { sessionId, index } });
  }

  notice(notice: Notice): Promise<void> {
    return this.#write(() => noticeFrame(notice, this.#options.cursor));
  }

  /** Does the work until it is done or the reader is gone; what fails ends the connection, and the reader resumes by its cursor. */
  async run(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const isUsual =
        this.signal.aborted ||
        error instanceof FollowerCutError ||
        error instanceof StorageError ||
        error instanceof CommandRefusedError;
      if (!isUsual) this.#options.log.error({ err: error }, "event stream failed");
      this.end();
    }
  }

  end(): void {
    this.#options.sse.end();
  }

  /** Ends it as soon as its reader may not read any more, and says why. */
  endWith(ended: AbortSignal | undefined): void {
    if (!ended) return;
    const tell = async () => {
      const { sse, cursor } = this.#options;
      const { message = "You may not read this any more" } = problemOf(ended.reason) ?? {};
      this.#isOver = true;
      await this.#turn;
      const data = { code: "not_authenticated", detail: message } as const;
      await sse.write(noticeFrame({ event: "ended", data }, cursor));
      this.end();
    };
    const hear = () => void this.run(tell);
    ended.addEventListener("abort", hear, { signal: this.signal });
    // It may have been a moment ago.
    if (ended.aborted) hear();
  }

  /** Passes on what is thought now; of what a slow reader has not taken, the oldest is left out. */
  #think(sessionId: string, thought: Thought): void {
    // The first is being written.
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
    const { cursor, isCrowded } = this.#options;
    const isMuch = batch.length > LIVE_EVENTS || isCrowded?.() === true;
    for (let at = 0; at < batch.length && !this.signal.aborted; ) {
      const piece = () => {
        let frames = "";
        for (let event = batch[at]; event && frames.length < ENOUGH_AT_ONCE; event = batch[++at])
          frames += eventFrame(sessionId, event, cursor);
        return frames;
      };
      await this.#write(piece, isMuch);
    }
  }

  #write(frames: () => string, isMuch = false): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      const { sse } = this.#options;
      using turn = isMuch ? await this.#ownTurn() : undefined;
      if (this.signal.aborted || this.#isOver) return;
      const written = sse.write(frames());
      // How fast it is read holds nobody up.
      turn?.[Symbol.dispose]();
      await written;
    });
    return this.#turn;
  }

  /** Whoever asks for much lets others go first. */
  async #ownTurn(): Promise<Disposable | undefined> {
    const { workspace, owner: user } = this.#options.principal;
    const turn = await this.#options.turn?.();
    using _ = await pieces.enter({ workspace, user });
    await new Promise(setImmediate);
    return turn;
  }
}

/** The events that are no events of a session: they tell the client about the stream itself. */
type Notice =
  /** First of all: from where each session is followed. */
  | { readonly event: "ready"; readonly data: { readonly sessions: Readonly<Record<string, number>> } }
  /** What the client has of a session does not lead on: read the session anew; here it goes on after `index`. */
  | { readonly event: "reset"; readonly data: { readonly sessionId: string; readonly index: number } }
  /** There is no such session. */
  | { readonly event: "gone"; readonly data: { readonly sessionId: string } }
  /** A session came, changed or went. */
  | {
      readonly event: "session_changed";
      readonly data: { readonly sessionId: string; readonly change: "created" | "updated" | "deleted" };
    }
  /** Last of all: the reader may not read on. */
  | {
      readonly event: "ended";
      readonly data: { readonly code: "not_authenticated"; readonly detail: string };
    }
  /** What an agent thinks just now: no part of the session, and not told again. */
  | { readonly event: "thinking"; readonly data: Thought & { readonly sessionId: string } };

/** A payload is shared by all who follow its session: its text is made once for all of them. */
const TEXTS = new WeakMap<SessionEvent, string>();

/** The frame of a session's event; the cursor moves with it. */
function eventFrame(sessionId: string, recorded: RecordedSessionEvent, cursor: EventCursor): string {
  cursor.set(sessionId, recorded.index);
  return sseFrame(textOf(sessionId, recorded), { id: `${cursor}` });
}

/** The frame of a notice. */
function noticeFrame({ event, data }: Notice, cursor: EventCursor): string {
  return sseFrame(JSON.stringify(data), { event, id: `${cursor}` });
}

function textOf(sessionId: string, recorded: RecordedSessionEvent): string {
  let text = TEXTS.get(recorded.event);
  if (text === undefined) {
    text = JSON.stringify(eventView(sessionId, recorded));
    TEXTS.set(recorded.event, text);
  }
  return text;
}
