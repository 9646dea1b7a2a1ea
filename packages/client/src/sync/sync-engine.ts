import type { ApiClient } from "../api/api-client.ts";
import { failureOf } from "../api/api-error.ts";
import { newId } from "../api/new-id.ts";
import type { CachePort } from "../cache/cache-port.ts";
import type { Feed, FeedItem } from "../feed/feed-item.ts";
import { type Backoff, DEFAULT_BACKOFF } from "../ports/backoff.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import { alwaysOnline, type Connectivity } from "../ports/connectivity.ts";
import { type Command, isToCome } from "./command.ts";
import { KeptState } from "./kept-state.ts";
import { isWork, performEffect } from "./perform-effect.ts";
import { type QueueNews, queueNews, type TabPeers } from "./queue-news.ts";
import { reduce } from "./reduce.ts";
import type { SessionRecord } from "./session-record.ts";
import type { Effect, SyncEvent } from "./sync-event.ts";
import { INITIAL_STATE, type SyncState } from "./sync-state.ts";
import { UserCommands } from "./user-commands.ts";

/** What an engine works with. The feed is to be one of the whole workspace; of several tabs, it is what they share. */
export interface SyncEngineOptions {
  readonly client: ApiClient;
  readonly feed: Feed;
  readonly cache: CachePort;
  readonly peers?: TabPeers;
  /** False: nobody looks at the list of sessions, however long it is, and it is not read. */
  readonly readsList?: boolean;
  readonly connectivity?: Connectivity;
  readonly clock?: Clock;
  readonly backoff?: Backoff;
  readonly keepEveryMs?: number;
}

/** Keeps a client's state the same as the server's: runs the effects of `reduce`, and feeds it what comes of them. */
export class SyncEngine extends UserCommands {
  readonly #options: Required<Omit<SyncEngineOptions, "peers">>;
  readonly #peers: TabPeers | undefined;
  readonly #stopped = new AbortController();
  readonly #listeners = new Set<(state: SyncState) => void>();
  readonly #kept: KeptState;
  readonly #events: SyncEvent[] = [];
  #state: SyncState;
  #isReducing = false;
  /** How often the user went somewhere. */
  #moves = 0;
  #feeding: Promise<void> | undefined;
  /** Sessions that are about to be opened because something waits there for the end of a run. */
  readonly #attending = new Set<string>();
  readonly #unsubscribes: (() => void)[] = [];

  private constructor({ peers, ...options }: SyncEngineOptions) {
    super();
    this.#peers = peers;
    this.#options = {
      connectivity: alwaysOnline,
      clock: systemClock,
      backoff: DEFAULT_BACKOFF,
      keepEveryMs: 300,
      readsList: true,
      ...options,
    };
    const { cache, clock, keepEveryMs, connectivity, readsList } = this.#options;
    const connection = connectivity.isOnline ? "connecting" : "offline";
    const { list } = INITIAL_STATE;
    const unread = readsList ? {} : { list: { ...list, freshness: { name: "unwanted" } as const } };
    this.#state = { ...INITIAL_STATE, ...unread, connection, isLeading: !peers, keeping: cache.keeping };
    const onError = (error: unknown) => this.#dispatch({ type: "keepingFailed", failure: failureOf(error) });
    this.#kept = new KeptState({ cache, clock, keepEveryMs, onError });
  }

  /** Loads what was kept, which can be shown at once, and begins to sync. */
  static async start(options: SyncEngineOptions): Promise<SyncEngine> {
    const engine = new SyncEngine(options);
    await engine.#start();
    return engine;
  }

  get state(): SyncState {
    return this.#state;
  }

  /** Calls the listener with every new state, until the returned function is called. */
  subscribe(listener: (state: SyncState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends all work; what was kept goes on at the next start. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    await this.#feeding;
    await this.#kept.stop();
  }

  async open(sessionId: string): Promise<void> {
    const move = ++this.#moves;
    // Whoever has gone elsewhere meanwhile is not to be fetched back.
    await this.#show(sessionId, () => move !== this.#moves);
  }

  /** Follows a session beside the one that the user is in. */
  async openBeside(sessionId: string): Promise<void> {
    await this.#show(sessionId, () => true);
  }

  /** Does not follow a session any more. */
  close(sessionId: string): void {
    this.#dispatch({ type: "closed", sessionId });
  }

  /** Tries a command again that was refused. */
  retryCommand(key: string): void {
    this.#dispatch({ type: "retried", key });
  }

  /** Sends a message at once that waits for the end of a run. */
  sendNow(key: string): void {
    this.#dispatch({ type: "sendNow", key });
  }

  /** Gives up a command that was refused, or has not been sent yet. */
  discardCommand(key: string): void {
    this.#dispatch({ type: "discarded", key });
    this.#peers?.tell({ type: "discarded", key });
  }

  /** Drafts, scroll, panels and the like of a session, as the page kept them; undefined where it kept nothing. */
  async loadUiState(sessionId: string): Promise<unknown> {
    return this.#loaded(() => this.#kept.loadUiState(sessionId));
  }

  /** May be called with every key that is pressed; undefined: there is nothing to keep any more. */
  saveUiState(sessionId: string, uiState: unknown): void {
    this.#kept.saveUiState(sessionId, uiState);
  }

  /** Resolves when all is kept that is to be; for a page that is hidden, which may be its end. */
  flush(): Promise<void> {
    return this.#kept.flush();
  }

  dismissError(): void {
    this.#dispatch({ type: "errorDismissed" });
  }

  async #start(): Promise<void> {
    const { cache, connectivity } = this.#options;
    this.#unsubscribes.push(
      connectivity.subscribe((isOnline) => this.#dispatch({ type: isOnline ? "online" : "offline" })),
      cache.subscribe((keeping) => this.#dispatch({ type: "keepingChanged", keeping })),
      this.#peers?.subscribe((news) => this.#hearNews(news)) ?? (() => {}),
    );
    const list = await this.#loaded(() => cache.load("list", "list"));
    const commands = (await this.#loaded(() => cache.loadAll("commands"))) ?? [];
    this.#dispatch({ type: "loaded", commands, ...(list && { list }) });
    this.#feeding = this.#feed();
  }

  async #show(sessionId: string, isBeside: () => boolean): Promise<void> {
    const kept = this.#state.open[sessionId] ? {} : await this.#loadedSession(sessionId);
    this.#dispatch({ type: "opened", sessionId, isBeside: isBeside(), ...kept });
  }

  async #loadedSession(sessionId: string): Promise<{ readonly record?: SessionRecord }> {
    const record = await this.#loaded(() => this.#kept.loadSession(sessionId));
    return record ? { record } : {};
  }

  /** Without what was kept, all of it is read from the server. */
  async #loaded<Value>(load: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await load();
    } catch (error) {
      this.#dispatch({ type: "keepingFailed", failure: failureOf(error) });
      return undefined;
    }
  }

  async #feed(): Promise<void> {
    const { feed, clock, backoff } = this.#options;
    const { signal } = this.#stopped;
    for (let wasOpen = false; !signal.aborted; wasOpen = false) {
      try {
        for await (const item of feed.read(signal)) {
          wasOpen ||= item.type === "opened";
          if (item.type === "leading") await this.#lead();
          else this.#dispatch(eventOf(item));
        }
      } catch (error) {
        this.#dispatch({ type: "feedClosed", failure: failureOf(error) });
        // Who was told in between not to read on asks whether that is so; who was not let in at all waits.
        await clock.sleep(wasOpen ? backoff.firstMs : backoff.maxMs, signal);
      }
    }
  }

  async #lead(): Promise<void> {
    const commands = (await this.#loaded(() => this.#options.cache.loadAll("commands"))) ?? [];
    this.#dispatch({ type: "leading", commands });
  }

  protected override queue(command: Command, isNext?: true): void {
    if (command.type === "create") this.#moves++;
    const at = new Date(this.#options.clock.now()).toISOString();
    this.#dispatch({ type: "queued", key: newId("key"), command, at, ...(isNext && { isNext }) });
  }

  /** One event after the other, also where a listener causes the next. */
  #dispatch(event: SyncEvent): void {
    this.#events.push(event);
    if (this.#isReducing) return;
    this.#isReducing = true;
    try {
      for (let next = this.#events.shift(); next; next = this.#events.shift()) this.#step(next);
    } finally {
      this.#isReducing = false;
    }
  }

  #step(event: SyncEvent): void {
    const { state, effects } = reduce(this.#state, event);
    const before = this.#state;
    const isNew = state !== before;
    this.#state = state;
    for (const effect of effects) this.#run(effect);
    if (state.queue !== before.queue || state.open !== before.open || state.isLeading !== before.isLeading)
      this.#attend();
    // What another tab has told is not told back, but the leader's part in it is news.
    if (event.type !== "commandTold" || state.isLeading)
      for (const news of queueNews(before, state)) this.#peers?.tell(news);
    if (isNew) for (const listener of this.#listeners) this.#tell(listener);
  }

  /** Who sends what waits for the end of a run has to see that end, also where nobody looks at the session. */
  #attend(): void {
    const { isLeading, queue, open } = this.#state;
    const wanted = new Set(isLeading ? queue.filter(isToCome).map(({ command }) => command.sessionId) : []);
    for (const sessionId of wanted) {
      if (open[sessionId] || this.#attending.has(sessionId)) continue;
      this.#attending.add(sessionId);
      void this.#loadedSession(sessionId).then((record) => {
        this.#attending.delete(sessionId);
        this.#dispatch({ type: "opened", sessionId, isUnseen: true, ...record });
      });
    }
    for (const [sessionId, { isUnseen }] of Object.entries(open))
      if (isUnseen && !wanted.has(sessionId)) this.#dispatch({ type: "closed", sessionId });
  }

  #hearNews(news: QueueNews): void {
    switch (news.type) {
      case "command":
        this.#dispatch({ type: "commandTold", entry: news.entry });
        break;
      case "discarded":
        this.#dispatch({ type: "discarded", key: news.key });
        break;
      case "asked":
        if (this.#state.isLeading)
          for (const entry of this.#state.queue) this.#peers?.tell({ type: "command", entry });
    }
  }

  /** A listener that fails is a fault of the page, which is told of it; the sync goes on. */
  #tell(listener: (state: SyncState) => void): void {
    try {
      listener(this.#state);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  #run(effect: Effect): void {
    if (!isWork(effect)) {
      this.#kept.run(effect);
      return;
    }
    const { client, clock, backoff } = this.#options;
    const { signal } = this.#stopped;
    const kept = this.#kept.written;
    void performEffect(effect, { client, clock, backoff, signal, kept }).then((event) => {
      if (event && !signal.aborted) this.#dispatch(event);
    });
  }
}

function eventOf(item: Exclude<FeedItem, { type: "leading" }>): SyncEvent {
  switch (item.type) {
    case "opened":
      return { type: "feedOpened", isResumed: item.isResumed, places: item.places };
    case "event":
      return { type: "eventHeard", event: item.event };
    case "reset":
      return { type: "reset", sessionId: item.sessionId };
    case "gone":
      return { type: "sessionGone", sessionId: item.sessionId };
    case "changed":
      return { type: "listChanged" };
    case "closed":
      return { type: "feedClosed", ...(item.failure && { failure: item.failure }) };
  }
}
