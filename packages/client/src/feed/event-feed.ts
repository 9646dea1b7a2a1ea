import { createParser } from "eventsource-parser";
import { ApiError, apiErrorOf, failureOf, unreachable } from "../api/api-error.ts";
import { keyHeaders, type TransportOptions } from "../api/api-transport.ts";
import { DEFAULT_BACKOFF, delayBefore } from "../ports/backoff.ts";
import { systemClock } from "../ports/clock.ts";
import { alwaysOnline, type Connectivity, whenOnline } from "../ports/connectivity.ts";
import { type Feed, type FeedItem, feedItemOf } from "./feed-item.ts";

/** The server repeats only recent events, so older sessions can be forgotten. */
const MAX_SESSIONS = 10_000;

/** Filters repeated events by the last index of each session. */
class SeenEvents {
  readonly #last = new Map<string, number>();

  /** Whether this was not told before; from now on it was. */
  isNew(item: FeedItem): boolean {
    if (item.type === "reset") {
      if (item.sessionId === "*") this.#last.clear();
      else this.#remember(item.sessionId, item.index);
      return true;
    }
    // Nothing connects this with what was before.
    if (item.type === "opened" && !item.isResumed) this.#last.clear();
    if (item.type !== "event") return true;
    const { sessionId, index } = item.event;
    if (index <= (this.#last.get(sessionId) ?? 0)) return false;
    this.#remember(sessionId, index);
    return true;
  }

  #remember(sessionId: string, index: number): void {
    this.#last.delete(sessionId);
    this.#last.set(sessionId, index);
    if (this.#last.size <= MAX_SESSIONS) return;
    const [oldest] = this.#last.keys();
    if (oldest !== undefined) this.#last.delete(oldest);
  }
}

export interface EventFeedOptions extends Omit<TransportOptions, "deadlineMs" | "attempts"> {
  /** The sessions to follow; none: all of the workspace, those to come included. */
  readonly sessionIds?: readonly string[];
  /** Where in the API the stream is; elsewhere than at `/events` it says itself what it follows. */
  readonly path?: "/events" | "/shared/stream";
  /** Where an earlier feed ended. */
  readonly cursor?: string;
  /** A connection on which nothing comes for so long, not even a heartbeat (every 15 s), is dead. */
  readonly idleMs?: number;
  readonly connectivity?: Connectivity;
}

type Message = { readonly id: string | undefined; readonly item: FeedItem | undefined };

/** Delivers each event once, over as many connections as needed; each resumes where the last was cut. */
export class EventFeed implements Feed {
  readonly #options: Required<Omit<EventFeedOptions, "cursor">>;
  readonly #seen = new SeenEvents();
  #cursor: string | undefined;
  #attempt = 0;

  constructor({ cursor, ...options }: EventFeedOptions) {
    this.#cursor = cursor;
    this.#options = {
      sessionIds: [],
      fetch: globalThis.fetch.bind(globalThis),
      headers: {},
      idleMs: 40_000,
      key: undefined,
      path: "/events",
      backoff: DEFAULT_BACKOFF,
      clock: systemClock,
      connectivity: alwaysOnline,
      ...options,
    };
  }

  /** The place after the last item that was taken. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** Reads until the signal is aborted; throws `ApiError` when the server refuses for a reason that trying again does not change. */
  async *read(signal: AbortSignal): AsyncGenerator<FeedItem, void, undefined> {
    const { connectivity } = this.#options;
    while (!signal.aborted) {
      await whenOnline(connectivity, signal);
      const cut = new AbortController();
      const unsubscribe = connectivity.subscribe((isOnline) => isOnline || cut.abort());
      let error: ApiError | undefined;
      try {
        yield* this.#connection(AbortSignal.any([signal, cut.signal]), cut);
      } catch (caught) {
        error = caught instanceof ApiError ? caught : unreachable(caught);
      } finally {
        unsubscribe();
        cut.abort();
      }
      if (signal.aborted) return;
      if (error && !error.isTransient && error.status !== 500) {
        // A cursor that the server does not take any more is worth one try without it.
        if (this.#cursor === undefined || error.status === 401 || error.status === 403) throw error;
        this.#cursor = undefined;
      }
      yield { type: "closed", ...(error && { failure: failureOf(error) }) };
      await this.#rest(signal, error?.retryAfterMs ?? 0);
    }
  }

  async *#connection(signal: AbortSignal, cut: AbortController): AsyncGenerator<FeedItem> {
    const isResumed = this.#cursor !== undefined;
    const { idleMs } = this.#options;
    let idle = setTimeout(() => cut.abort(), idleMs);
    try {
      const response = await this.#options.fetch(this.#url(), {
        headers: {
          ...keyHeaders(this.#options.key),
          ...this.#options.headers,
          Accept: "text/event-stream",
          ...(this.#cursor !== undefined && { "Last-Event-ID": this.#cursor }),
        },
        cache: "no-store",
        signal,
      });
      if (!response.ok || !response.body) throw await apiErrorOf(response);
      let messages: Message[] = [];
      let ended: ApiError | undefined;
      const parser = createParser({
        onEvent: ({ id, event, data }) => {
          if (event === "ended") ended = endOf(data);
          messages.push({ id, item: feedItemOf(event, data, isResumed) });
        },
      });
      const decoder = new TextDecoder();
      const reader = response.body.getReader();
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        clearTimeout(idle);
        idle = setTimeout(() => cut.abort(), idleMs);
        parser.feed(decoder.decode(read.value, { stream: true }));
        const whole = messages;
        messages = [];
        for (const message of whole) yield* this.#taken(message);
        if (ended) throw ended;
      }
    } finally {
      clearTimeout(idle);
    }
  }

  *#taken({ id, item }: Message): Generator<FeedItem> {
    this.#attempt = 0;
    if (id !== undefined) this.#cursor = id;
    if (item && this.#seen.isNew(item)) yield item;
  }

  /** Waits before the next connection; a network that comes back ends the wait. */
  async #rest(signal: AbortSignal, atLeast: number): Promise<void> {
    const { backoff, clock, connectivity } = this.#options;
    this.#attempt++;
    const awake = new AbortController();
    const unsubscribe = connectivity.subscribe((isOnline) => isOnline && awake.abort());
    const delay = Math.max(atLeast, delayBefore(this.#attempt, backoff, clock));
    await clock.sleep(delay, AbortSignal.any([signal, awake.signal]));
    unsubscribe();
  }

  #url(): string {
    const { baseUrl, sessionIds, path } = this.#options;
    const search = new URLSearchParams(sessionIds.map((id): [string, string] => ["session_ids[]", id]));
    return `${baseUrl.replace(/(?<!\/)\/+$/, "")}/api/v1${path}${sessionIds.length > 0 ? `?${search}` : ""}`;
  }
}

function endOf(data: string): ApiError {
  const { detail } = JSON.parse(data) as { readonly detail?: string };
  return new ApiError(detail ?? "You may not read this any more", { code: "not_authenticated", status: 401 });
}
