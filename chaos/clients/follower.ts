import { setTimeout as sleep } from "node:timers/promises";
import type { NodeName } from "../schedule/fault.ts";
import { NODES } from "../schedule/fault.ts";
import type { SeededRandom } from "../schedule/seeded-random.ts";
import type { ClientJournal } from "./client-journal.ts";
import { openExchange } from "./http-exchange.ts";
import { SseFrames } from "./sse-frames.ts";

const AGAIN_MS = 200;
const IDLE_TIMEOUT_MS = 5_000;
const SLOW_PIECE_MS = 100;

interface SeenEvent {
  readonly sessionId: string;
  readonly index: number;
  readonly type: string;
}

export interface FollowerOptions {
  readonly journal: ClientJournal;
  readonly urlOf: (node: NodeName) => string;
  readonly key: string;
  /** The workspace whose sessions it follows. */
  readonly workspace: string;
  readonly random: SeededRandom;
  /** Whether it is reading slowly right now. */
  readonly isSlow: () => boolean;
}

/** Follows all sessions on any node by `Last-Event-ID` and keeps every byte. */
export class Follower {
  /** The newest index seen of each session. */
  readonly seen = new Map<string, number>();
  /** The sessions with a streaming run. */
  readonly speaking = new Set<string>();
  readonly workspace: string;
  /** Resolves when it follows: it must not miss any event from then on. */
  readonly ready: Promise<void>;
  readonly #ready = Promise.withResolvers<void>();
  readonly #options: FollowerOptions;
  readonly #ended = new AbortController();
  readonly #done: Promise<void>;
  /** The cursor before the first event. */
  firstId: string | undefined;
  #lastId: string | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.workspace = options.workspace;
    this.ready = this.#ready.promise;
    options.journal.note({ workspace: options.workspace });
    this.#done = this.#follow();
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#done;
  }

  async #follow(): Promise<void> {
    const { journal, random, urlOf } = this.#options;
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const node = random.pick(NODES);
      await this.#connect(urlOf(node), node).catch((error: Error) => journal.note({ cut: error.message }));
      await sleep(AGAIN_MS);
    }
  }

  async #connect(url: string, node: NodeName): Promise<void> {
    const { journal, isSlow, key } = this.#options;
    const lastId = this.#lastId;
    const answer = await openExchange(`${url}/api/v1/events`, {
      ...{ method: "GET", idleTimeoutMs: IDLE_TIMEOUT_MS, key, signal: this.#ended.signal },
      ...(lastId !== undefined && { headers: { "last-event-id": lastId } }),
    });
    if (answer.statusCode !== 200) {
      journal.note({ node, refused: answer.statusCode });
      answer.destroy();
      return;
    }
    const keep = journal.openStream({ node, lastId: lastId ?? null });
    const frames = new SseFrames();
    for await (const bytes of answer as AsyncIterable<Buffer>) {
      keep(bytes);
      for (const { id, event, data } of frames.push(bytes)) {
        this.#lastId = id ?? this.#lastId;
        this.firstId ??= id;
        if (event === "ready") this.#ready.resolve();
        if (event === undefined) this.#see(JSON.parse(data));
      }
      if (isSlow()) await sleep(SLOW_PIECE_MS);
    }
  }

  #see({ sessionId, index, type }: SeenEvent): void {
    this.seen.set(sessionId, index);
    if (type === "agent_token") this.speaking.add(sessionId);
    else if (type === "agent_complete" || type === "agent_cancelled") this.speaking.delete(sessionId);
  }
}
