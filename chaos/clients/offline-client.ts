import { setTimeout as sleep } from "node:timers/promises";
import { ApiClient, EventFeed, MemoryCache, SyncEngine, shownList, shownSession } from "@parley/client";
import { NODES, type NodeName } from "../schedule/fault.ts";
import type { SeededRandom } from "../schedule/seeded-random.ts";
import { wordsOf } from "../world/spoken-words.ts";
import type { ClientJournal } from "./client-journal.ts";
import { PageNetwork } from "./page-network.ts";
import { SeveredCache } from "./severed-cache.ts";

const ARRIVES_WITHIN_MS = 90_000;
const BACKOFF = { firstMs: 100, maxMs: 2_000 };
const RECENT = 3;

export interface OfflineClientOptions {
  readonly name: string;
  readonly journal: ClientJournal;
  readonly urlOf: (node: NodeName) => string;
  readonly random: SeededRandom;
  readonly key: string;
  readonly workspace: string;
  readonly signal: AbortSignal;
}

interface Page {
  readonly engine: SyncEngine;
  readonly hold: SeveredCache;
}

/** A user of the product's own client, whose network comes and goes and whose page is closed or killed at any time. */
export class OfflineClient {
  readonly #options: OfflineClientOptions;
  readonly #kept = new MemoryCache();
  readonly #network = new PageNetwork();
  readonly #sessions: string[] = [];
  #messages = 0;
  #page: Page | undefined;

  constructor(options: OfflineClientOptions) {
    this.#options = options;
    options.journal.note({ workspace: options.workspace });
  }

  async run(): Promise<void> {
    const { random, signal } = this.#options;
    while (!signal.aborted) {
      const page = await this.#open();
      for (let spells = random.between(1, 3); spells > 0 && !signal.aborted; spells--)
        await this.#spell(page);
      await this.#leave(page, random.chance(0.5));
      this.#network.turn(true);
    }
  }

  /** Goes online for good; resolves when the queue is flushed, or after a long timeout. */
  async arrive(): Promise<void> {
    const { engine } = await this.#open();
    for (const id of this.#sessions) await engine.openBeside(id);
    await until(() => engine.state.queue.length === 0);
  }

  /** Records what the client shows once it has caught up with the record, or after a long timeout. */
  async look(headOf: (sessionId: string) => number | undefined): Promise<void> {
    const page = this.#page;
    if (!page) return;
    const { engine } = page;
    const shown = () => this.#sessions.map((id) => shownSession(engine.state, id));
    await until(
      () =>
        engine.state.list.freshness.name === "current" &&
        shown().every((session) => session?.isCurrent && session.index === headOf(session.id)),
    );
    this.#options.journal.note({
      arrived: {
        queue: engine.state.queue.map(({ key, phase, command }) => ({ key, phase, type: command.type })),
        sessions: shown().map((session, place) => ({
          ...{ id: this.#sessions[place], index: session?.index ?? 0 },
          messages: (session?.messages ?? []).map(({ role, content }) => [role, content]),
        })),
        list: shownList(engine.state).map(({ id, title }) => ({ id, title })),
      },
    });
    await engine.stop();
  }

  /** A period online or, more often, offline. */
  async #spell({ engine }: Page): Promise<void> {
    const { random, journal } = this.#options;
    const isOffline = random.chance(0.7);
    this.#network.turn(!isOffline);
    journal.note({ spell: isOffline ? "offline" : "online" });
    for (let messages = random.between(1, 2); messages > 0; messages--) await this.#write(engine, isOffline);
    await sleep(random.between(500, 3_500));
    // Some sends are in flight when the page closes.
    if (random.chance(0.6)) this.#network.turn(true);
    await sleep(random.between(0, 2_500));
  }

  async #write(engine: SyncEngine, isOffline: boolean): Promise<void> {
    const { random, journal, name } = this.#options;
    const old = random.chance(0.5) ? this.#sessions.at(-random.between(1, RECENT)) : undefined;
    const sessionId = old ?? engine.create({ title: name, agent: "teller" });
    if (old === undefined) this.#sessions.push(sessionId);
    const words = { key: `k${name}x${++this.#messages}`, tokens: random.between(5, 30), entered: false };
    const content = wordsOf(words);
    const messageId = engine.sendNext(sessionId, content);
    // From here on it is persisted and must survive the page.
    await engine.flush();
    journal.note({ wrote: messageId, sessionId, content, isOffline });
  }

  async #open(): Promise<Page> {
    const { random, urlOf, key, journal } = this.#options;
    const node = random.pick(NODES);
    const [baseUrl, network] = [urlOf(node), this.#network];
    const common = { baseUrl, key, fetch: network.fetch, backoff: BACKOFF };
    const hold = new SeveredCache(this.#kept);
    journal.note({ opened: node });
    const engine = await SyncEngine.start({
      client: new ApiClient({ ...common, deadlineMs: 8_000 }),
      feed: new EventFeed({ ...common, connectivity: network, idleMs: 20_000 }),
      ...{ cache: hold.cache, connectivity: network, backoff: BACKOFF },
    });
    this.#page = { engine, hold };
    return this.#page;
  }

  async #leave({ engine, hold }: Page, isKilled: boolean): Promise<void> {
    this.#options.journal.note({ left: isKilled ? "killed" : "closed" });
    if (isKilled) hold.sever();
    await engine.stop();
    this.#page = undefined;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + ARRIVES_WITHIN_MS;
  while (!isSo() && performance.now() < end) await sleep(200);
}
