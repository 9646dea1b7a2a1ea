import type { AppendPart, AppendUnit, CommitPlan } from "./commit-plan.ts";
import { JournalClosedError, JournalOverloadedError, StorageError } from "./errors.ts";

export interface GroupCommitOptions {
  /** The shortest time between the starts of two flushes that nobody called urgent. */
  readonly flushEveryMs?: number;
  /** So many waiting events are flushed without waiting longer. */
  readonly flushAtEvents?: number;
  /** Appends are refused while more than this waits. */
  readonly maxWaitingBytes?: number;
}

interface Waiting extends AppendUnit {
  resolve(lastIndices: readonly number[]): void;
  reject(error: unknown): void;
}

/**
 * Gathers appends into transactions, one after the other. After a quiet moment an append is committed
 * at once; under load those that arrive within `flushEveryMs`, or during a commit, share the next one.
 */
export class GroupCommit {
  readonly #commit: (units: readonly AppendUnit[]) => Promise<CommitPlan>;
  readonly #committed: (plan: CommitPlan) => void;
  readonly #flushEveryMs: number;
  readonly #flushAtEvents: number;
  readonly #maxWaitingBytes: number;

  #waiting: Waiting[] = [];
  #waitingEvents = 0;
  #waitingBytes = 0;
  #urgent = false;
  #lastStart = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #flushing: Promise<void> | undefined;
  #closed: StorageError | undefined;

  constructor(
    commit: (units: readonly AppendUnit[]) => Promise<CommitPlan>,
    committed: (plan: CommitPlan) => void,
    options: GroupCommitOptions = {},
  ) {
    this.#commit = commit;
    this.#committed = committed;
    this.#flushEveryMs = options.flushEveryMs ?? 5;
    this.#flushAtEvents = options.flushAtEvents ?? 1_000;
    this.#maxWaitingBytes = options.maxWaitingBytes ?? 64 * 1_048_576;
  }

  /** Resolves after the commit with the last index of each part. */
  add(parts: readonly AppendPart[], urgent: boolean): Promise<readonly number[]> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (this.#waitingBytes > this.#maxWaitingBytes) {
      return Promise.reject(new JournalOverloadedError(this.#waitingBytes));
    }
    for (const { events } of parts) {
      this.#waitingEvents += events.length;
      for (const { bytes } of events) this.#waitingBytes += bytes;
    }
    if (urgent) this.#urgent = true;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ parts, resolve, reject });
      this.#schedule();
    });
  }

  /** Commits what waits and refuses everything after that. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = new JournalClosedError();
    await this.#flushing;
    await this.#flush();
  }

  /** Refuses everything that waits and everything to come: the storage is not to be trusted any more. */
  fail(error: StorageError): void {
    this.#closed = error;
    for (const { reject } of this.#take()) reject(error);
  }

  #schedule(): void {
    if (this.#flushing || this.#immediate || this.#waiting.length === 0) return;
    const wait = this.#lastStart + this.#flushEveryMs - performance.now();
    if (this.#urgent || this.#waitingEvents >= this.#flushAtEvents || wait <= 0) {
      // Not at once: what else is appended in this turn of the event loop comes along.
      this.#immediate = setImmediate(() => void this.#flush());
    } else {
      this.#timer ??= setTimeout(() => void this.#flush(), wait);
    }
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#timer = this.#immediate = undefined;
    this.#lastStart = performance.now();
    this.#flushing = this.#write(this.#take()).finally(() => {
      this.#flushing = undefined;
      this.#schedule();
    });
    return this.#flushing;
  }

  #take(): Waiting[] {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#waitingEvents = this.#waitingBytes = 0;
    this.#urgent = false;
    return taken;
  }

  async #write(units: readonly Waiting[]): Promise<void> {
    if (units.length === 0) return;
    let plan: CommitPlan;
    try {
      plan = await this.#commit(units);
    } catch (error) {
      if (units.length === 1 || error instanceof StorageError) {
        for (const unit of units) unit.reject(error);
      } else {
        // Something in this batch cannot be written; alone, each shows whether it was the one.
        for (const unit of units) await this.#write([unit]);
      }
      return;
    }
    this.#committed(plan);
    units.forEach((unit, position) => {
      const outcome = plan.outcomes[position];
      if (Array.isArray(outcome)) unit.resolve(outcome);
      else unit.reject(outcome);
    });
  }
}
