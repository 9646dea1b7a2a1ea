import type { ApiClient } from "../api/api-client.ts";
import { newId } from "../api/new-id.ts";
import type {
  Answer,
  ForkPoint,
  MessageEdit,
  NewBranch,
  Retry,
  SessionChange,
} from "../api/request-types.ts";
import type { CachePort, Keeping } from "../cache/cache-port.ts";
import type { Feed, FeedItem } from "../feed/feed-item.ts";
import { type Backoff, USUAL_BACKOFF } from "../ports/backoff.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import { alwaysOnline, type Connectivity } from "../ports/connectivity.ts";
import { carriedOut, isWork } from "./carried-out.ts";
import type { Command } from "./command.ts";
import { failureOf } from "./failure-of.ts";
import { KeptState } from "./kept-state.ts";
import { type Company, type QueueNews, queueNews } from "./queue-news.ts";
import { reduce } from "./reduce.ts";
import type { Effect, SyncEvent } from "./sync-event.ts";
import { INITIAL_STATE, type SyncState } from "./sync-state.ts";

/** What an engine works with. The feed is to be one of the whole workspace; where there is company, it is theirs. */
export interface SyncEngineOptions {
  readonly client: ApiClient;
  readonly feed: Feed;
  readonly cache: CachePort;
  readonly company?: Company;
  readonly connectivity?: Connectivity;
  readonly clock?: Clock;
  readonly backoff?: Backoff;
  readonly keepEveryMs?: number;
}

type NewMessageOptions = { readonly files?: readonly string[]; readonly agent?: string };

/** Keeps a client's state the same as the server's: runs the effects of `reduce`, and feeds it what comes of them. */
export class SyncEngine {
  readonly #options: Required<Omit<SyncEngineOptions, "company">>;
  readonly #company: Company | undefined;
  readonly #stopped = new AbortController();
  readonly #listeners = new Set<(state: SyncState) => void>();
  readonly #kept: KeptState;
  readonly #events: SyncEvent[] = [];
  #state = INITIAL_STATE;
  #isReducing = false;
  /** How often the user went somewhere. */
  #moves = 0;
  #feeding: Promise<void> | undefined;
  readonly #unsubscribes: (() => void)[] = [];

  private constructor({ company, ...options }: SyncEngineOptions) {
    this.#company = company;
    this.#options = {
      ...{ connectivity: alwaysOnline, clock: systemClock, backoff: USUAL_BACKOFF, keepEveryMs: 300 },
      ...options,
    };
    const { cache, clock, keepEveryMs } = this.#options;
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

  /** Goes to a session. */
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

  /** Each command below takes effect here at once, and on the server as soon as that can be reached, once. */
  create(session: { readonly title?: string; readonly agent?: string } = {}): string {
    const sessionId = newId("ses");
    this.#moves++;
    this.#queue({ type: "create", sessionId, ...session });
    return sessionId;
  }

  send(sessionId: string, content: string, options: NewMessageOptions = {}): string {
    const messageId = newId("msg");
    this.#queue({ type: "send", sessionId, messageId, content, ...options });
    return messageId;
  }

  /** The fork that the edit makes is gone to when it is there. */
  edit(sessionId: string, messageId: string, edit: Omit<MessageEdit, "id">): string {
    const childId = newId("ses");
    this.#queue({ type: "edit", sessionId, messageId, childId, ...edit });
    return childId;
  }

  fork(sessionId: string, at: ForkPoint & { readonly title?: string } = {}): string {
    const childId = newId("ses");
    this.#queue({ type: "fork", sessionId, childId, ...at });
    return childId;
  }

  branch(sessionId: string, branch: Omit<NewBranch, "id">): string {
    const childId = newId("ses");
    this.#queue({ type: "branch", sessionId, childId, ...branch });
    return childId;
  }

  retry(sessionId: string, runId: string, retry: Omit<Retry, "id"> = {}): string {
    const childId = newId("ses");
    this.#queue({ type: "retry", sessionId, runId, childId, ...retry });
    return childId;
  }

  cancel(sessionId: string, runId: string, reason?: string): void {
    this.#queue({ type: "cancel", sessionId, runId, ...(reason !== undefined && { reason }) });
  }

  /** Renames, archives, switches the agent, configures. */
  change(sessionId: string, change: SessionChange): void {
    this.#queue({ type: "change", sessionId, ...change });
  }

  delete(sessionId: string): void {
    this.#queue({ type: "delete", sessionId });
  }

  restore(sessionId: string): void {
    this.#queue({ type: "restore", sessionId });
  }

  answer(sessionId: string, approvalId: string, answer: Answer): void {
    this.#queue({ type: "answer", sessionId, approvalId, ...answer });
  }

  /** Tries a command again that was refused. */
  retryCommand(key: string): void {
    this.#dispatch({ type: "retried", key });
  }

  /** Gives up a command that was refused, or has not been sent yet. */
  discardCommand(key: string): void {
    this.#dispatch({ type: "discarded", key });
    this.#company?.tell({ type: "discarded", key });
  }

  /** Drafts, scroll, panels and the like of a session, as the page kept them; undefined where it kept nothing. */
  async bag(sessionId: string): Promise<unknown> {
    return this.#loaded(() => this.#kept.loadBag(sessionId));
  }

  /** May be called with every key that is pressed; undefined: there is nothing to keep any more. */
  keepBag(sessionId: string, bag: unknown): void {
    this.#kept.keepBag(sessionId, bag);
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
    if (this.#company) {
      this.#dispatch({ type: "following" });
      this.#unsubscribes.push(this.#company.subscribe((news) => this.#hearNews(news)));
    }
    if (!connectivity.isOnline) this.#dispatch({ type: "offline" });
    const kept = (keeping: Keeping) => this.#dispatch({ type: "keepingChanged", keeping });
    this.#unsubscribes.push(cache.subscribe(kept));
    kept(cache.keeping);
    const list = await this.#loaded(() => cache.load("list", "list"));
    const commands = (await this.#loaded(() => cache.loadAll("commands"))) ?? [];
    this.#dispatch({ type: "loaded", commands, ...(list && { list }) });
    this.#unsubscribes.push(
      connectivity.subscribe((isOnline) => this.#dispatch({ type: isOnline ? "online" : "offline" })),
    );
    this.#feeding = this.#feed();
  }

  async #show(sessionId: string, isBeside: () => boolean): Promise<void> {
    const isOpen = this.#state.open[sessionId] !== undefined;
    const record = isOpen ? undefined : await this.#loaded(() => this.#kept.loadSession(sessionId));
    this.#dispatch({ type: "opened", sessionId, isBeside: isBeside(), ...(record && { record }) });
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
    while (!signal.aborted) {
      try {
        for await (const item of feed.read(signal))
          if (item.type === "leading") await this.#lead();
          else this.#dispatch(eventOf(item));
      } catch (error) {
        this.#dispatch({ type: "feedClosed", failure: failureOf(error) });
        await clock.sleep(backoff.mostMs, signal);
      }
    }
  }

  async #lead(): Promise<void> {
    const commands = (await this.#loaded(() => this.#options.cache.loadAll("commands"))) ?? [];
    this.#dispatch({ type: "leading", commands });
  }

  #queue(command: Command): void {
    const at = new Date(this.#options.clock.now()).toISOString();
    this.#dispatch({ type: "queued", key: newId("key"), command, at });
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
    if (event.type !== "commandTold") for (const news of queueNews(before, state)) this.#company?.tell(news);
    if (isNew) for (const listener of this.#listeners) this.#tell(listener);
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
          for (const entry of this.#state.queue) this.#company?.tell({ type: "command", entry });
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
    void carriedOut(effect, { client, clock, backoff, signal, kept }).then((event) => {
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
