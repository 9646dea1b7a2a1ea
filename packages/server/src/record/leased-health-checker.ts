import type { Log } from "@parley/a2a";
import {
  eventsAfter,
  FencedError,
  type Journal,
  type Lease,
  LeaseHeldError,
  whenGrown,
} from "@parley/journal";
import type { CheckLeadership } from "@parley/registry";

const STREAM = "registry/checks";
const SEEK_EVERY_MS = 3_000;
/** The newest events that are kept; every node has received older ones. */
const KEPT = 100;

/** The node with the lease checks remote agents for all nodes; the others receive changes over the lease's stream. */
export class LeasedHealthChecker implements CheckLeadership {
  readonly #journal: Journal;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  #lease: Lease | undefined;
  #seeking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #heard: number | undefined;

  constructor(journal: Journal, log: Log) {
    this.#journal = journal;
    this.#log = log;
  }

  get isLeader(): boolean {
    return this.#lease !== undefined && !this.#lease.signal.aborted;
  }

  changed(agent: string): void {
    if (!this.isLeader) return;
    this.#tell(agent, this.#lease).catch((error: unknown) => {
      // Whoever has taken it over looks at all agents anyway.
      if (!(error instanceof FencedError))
        this.#log.warn({ err: error }, "other nodes were not told of an agent");
    });
  }

  /** Tries to acquire the lease, and receives the changes that its owner found. */
  async start(recheck: (agent: string) => Promise<unknown>): Promise<void> {
    await this.#seek();
    this.#timer = setInterval(() => {
      if (!this.isLeader) this.#seeking = this.#seek();
    }, SEEK_EVERY_MS).unref();
    void whenGrown(this.#journal, STREAM, this.#stopping.signal, () => this.#hear(recheck));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#timer);
    await this.#seeking;
    await this.#lease?.release();
  }

  async #seek(): Promise<void> {
    try {
      this.#lease = await this.#journal.acquire(STREAM);
    } catch (error) {
      if (!(error instanceof LeaseHeldError))
        this.#log.debug({ err: error }, "leader election for agent checks failed");
    }
  }

  async #hear(recheck: (agent: string) => Promise<unknown>): Promise<void> {
    const news = await eventsAfter<{ agent: string }>(this.#journal, STREAM, this.#heard ?? 0);
    // Whatever came before we looked at all agents ourselves is known.
    const isFirst = this.#heard === undefined;
    this.#heard = news.at(-1)?.index ?? this.#heard ?? 0;
    if (!isFirst && !this.isLeader) for (const { payload } of news) void recheck(payload.agent);
  }

  async #tell(agent: string, lease: Lease | undefined): Promise<void> {
    const index = await this.#journal.append(STREAM, [{ agent }], { ...(lease && { epoch: lease.epoch }) });
    if (index % KEPT === 0) await this.#journal.trim(STREAM, index - KEPT);
  }
}
