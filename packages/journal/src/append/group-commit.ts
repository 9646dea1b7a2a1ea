import { JournalClosedError, JournalOverloadedError, StorageError, StorageFailedError } from "../errors.ts";
import type { JournalStats } from "../journal.ts";
import type { AppendPart, AppendUnit, CommitPlan } from "./commit-plan.ts";

export interface GroupCommitOptions {
  /** The shortest time between the starts of two flushes that are not urgent. */
  readonly flushEveryMs?: number;
  /** This many waiting events are flushed at once, and about this many at a time. */
  readonly flushAtEvents?: number;
  /** Appends are refused while more than this waits. */
  readonly maxWaitingBytes?: number;
}

interface Waiting extends AppendUnit {
  resolve(lastIndices: readonly number[]): void;
  reject(error: unknown): void;
}

/** The memory of a waiting append besides its content: promises, objects, string headers. */
const BYTES_PER_APPEND = 1_000;

type Outcome = readonly number[] | Error;

/**
 * Gathers appends into transactions, one after the other. After a quiet moment an append is committed
 * at once; under load those that arrive within `flushEveryMs`, or during a commit, share the next one.
 */
export class GroupCommit {
  readonly #commit: (units: readonly AppendUnit[]) => Promise<CommitPlan>;
  readonly #committed: (plan: CommitPlan) => void;
  readonly #limits: Required<GroupCommitOptions>;
  readonly #overlaps: boolean;

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
    { overlaps, ...options }: GroupCommitOptions & { readonly overlaps: boolean },
  ) {
    this.#overlaps = overlaps;
    this.#commit = commit;
    this.#committed = committed;
    const { flushEveryMs = 5, flushAtEvents = 4_000, maxWaitingBytes = 64 * 1_048_576 } = options;
    this.#limits = { flushEveryMs, flushAtEvents, maxWaitingBytes };
  }

  /** Resolves after the commit with the last index of each part. */
  add(
    parts: readonly AppendPart[],
    urgent: boolean,
    { chain, doomed = this.#overload() }: Pick<AppendUnit, "chain" | "doomed"> = {},
  ): Promise<readonly number[]> {
    if (this.#closed) return Promise.reject(this.#closed);
    // An append of a chain is refused in its turn, because later ones build on it.
    if (doomed && !chain) return Promise.reject(doomed);
    for (const part of doomed ? [] : parts) {
      this.#waitingEvents += part.events.length;
      this.#waitingBytes += bytesIn(part);
    }
    if (urgent) this.#urgent = true;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ parts: doomed ? [] : parts, chain, doomed, resolve, reject });
      this.#schedule();
    });
  }

  /** What no flush has taken yet. */
  waiting(): Pick<JournalStats, "waitingEvents" | "waitingBytes"> {
    return { waitingEvents: this.#waitingEvents, waitingBytes: this.#waitingBytes };
  }

  /** Commits what waits and refuses everything after that. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = new JournalClosedError();
    while (this.#flushing || this.#waiting.length > 0) await (this.#flushing ?? this.#flush());
  }

  /** Refuses everything that waits and everything to come: the storage can no longer be trusted. */
  fail(error: StorageError): void {
    this.#closed = error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #schedule(): void {
    if (this.#flushing || this.#immediate || this.#waiting.length === 0) return;
    const wait = this.#untilDue();
    // Not at once, so that other appends of this turn of the event loop come along.
    if (wait <= 0) this.#immediate = setImmediate(() => void this.#flush());
    else this.#timer ??= setTimeout(() => void this.#flush(), wait);
  }

  #untilDue(): number {
    if (this.#urgent || this.#waitingEvents >= this.#limits.flushAtEvents) return 0;
    return this.#lastStart + this.#limits.flushEveryMs - performance.now();
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#timer = this.#immediate = undefined;
    this.#lastStart = performance.now();
    const units = this.#take();
    this.#flushing = this.#write(units).then((outcomes) => {
      this.#flushing = undefined;
      if (this.#overlaps && this.#waiting.length > 0 && this.#untilDue() <= 0) {
        // The storage works on the next flush while our callers make their next appends.
        void this.#flush();
        setImmediate(settle, units, outcomes);
      } else {
        settle(units, outcomes);
        this.#schedule();
      }
    });
    return this.#flushing;
  }

  // A long queue is written in several flushes, so that readers get its first events sooner.
  #take(): Waiting[] {
    let units = 0;
    let events = 0;
    let bytes = 0;
    while (units < this.#waiting.length && events < this.#limits.flushAtEvents) {
      for (const part of this.#waiting[units++]?.parts ?? []) {
        events += part.events.length;
        bytes += bytesIn(part);
      }
    }
    const taken = this.#waiting.splice(0, units);
    this.#waitingEvents -= events;
    this.#waitingBytes -= bytes;
    if (this.#waiting.length === 0) this.#urgent = false;
    return taken;
  }

  #overload(): JournalOverloadedError | undefined {
    return this.#waitingBytes > this.#limits.maxWaitingBytes
      ? new JournalOverloadedError(this.#waitingBytes)
      : undefined;
  }

  // The outcome of each unit. Followers have its events by then; its caller is answered later.
  async #write(units: readonly Waiting[]): Promise<readonly Outcome[]> {
    const outcomes = await this.#outcomes(units);
    for (const [place, outcome] of outcomes.entries()) {
      const chain = units[place]?.chain;
      if (chain && outcome instanceof Error) chain.broken = true;
    }
    return outcomes;
  }

  async #outcomes(units: readonly Waiting[]): Promise<readonly Outcome[]> {
    if (units.length === 0) return [];
    let plan: CommitPlan;
    try {
      plan = await this.#commit(units);
    } catch (error) {
      if (units.length === 1 || error instanceof StorageError) return units.map(() => asError(error));
      // One unit of this batch cannot be written: written alone, each shows whether it is the one.
      return this.#writeOneByOne(units);
    }
    this.#committed(plan);
    return plan.outcomes;
  }

  async #writeOneByOne(units: readonly Waiting[]): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const unit of units) {
      // A storage that can no longer be trusted gets nothing more.
      const last = outcomes.at(-1);
      outcomes.push(...(last instanceof StorageFailedError ? [last] : await this.#write([unit])));
    }
    return outcomes;
  }
}

function settle(units: readonly Waiting[], outcomes: readonly Outcome[]): void {
  for (let position = 0; position < units.length; position++) {
    const outcome = outcomes[position];
    if (Array.isArray(outcome)) units[position]?.resolve(outcome);
    else units[position]?.reject(outcome);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function bytesIn({ events }: AppendPart): number {
  let sum = BYTES_PER_APPEND;
  for (const { bytes } of events) sum += bytes;
  return sum;
}
