import { JournalClosedError, JournalOverloadedError, StorageError, StorageFailedError } from "../errors.ts";
import type { JournalStats } from "../journal.ts";
import type { AppendPart, AppendUnit, CommitPlan } from "./commit-plan.ts";

export interface GroupCommitOptions {
  /** The shortest time between the starts of two flushes that nobody called urgent. */
  readonly flushEveryMs?: number;
  /** So many waiting events are flushed without waiting longer, and about so many at a time. */
  readonly flushAtEvents?: number;
  /** Appends are refused while more than this waits. */
  readonly maxWaitingBytes?: number;
}

interface Waiting extends AppendUnit {
  resolve(lastIndices: readonly number[]): void;
  reject(error: unknown): void;
}

/** What a waiting append costs besides its content: promises, objects, strings' heads. */
const BYTES_PER_APPEND = 1_000;

type Outcome = readonly number[] | Error;

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
    this.#flushEveryMs = options.flushEveryMs ?? 5;
    this.#flushAtEvents = options.flushAtEvents ?? 4_000;
    this.#maxWaitingBytes = options.maxWaitingBytes ?? 64 * 1_048_576;
  }

  /** Resolves after the commit with the last index of each part. */
  add(
    parts: readonly AppendPart[],
    urgent: boolean,
    { chain, doomed = this.#overload() }: Pick<AppendUnit, "chain" | "doomed"> = {},
  ): Promise<readonly number[]> {
    if (this.#closed) return Promise.reject(this.#closed);
    // Where others build on it, it is refused in its turn.
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

  /** What has yet to be taken into a flush. */
  waiting(): Pick<JournalStats, "waitingEvents" | "waitingBytes"> {
    return { waitingEvents: this.#waitingEvents, waitingBytes: this.#waitingBytes };
  }

  /** Commits what waits and refuses everything after that. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = new JournalClosedError();
    while (this.#flushing || this.#waiting.length > 0) await (this.#flushing ?? this.#flush());
  }

  /** Refuses everything that waits and everything to come: the storage is not to be trusted any more. */
  fail(error: StorageError): void {
    this.#closed = error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #schedule(): void {
    if (this.#flushing || this.#immediate || this.#waiting.length === 0) return;
    const wait = this.#untilDue();
    // Not at once: what else is appended in this turn of the event loop comes along.
    if (wait <= 0) this.#immediate = setImmediate(() => void this.#flush());
    else this.#timer ??= setTimeout(() => void this.#flush(), wait);
  }

  #untilDue(): number {
    if (this.#urgent || this.#waitingEvents >= this.#flushAtEvents) return 0;
    return this.#lastStart + this.#flushEveryMs - performance.now();
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

  // A long queue is written in several flushes: others get a turn in between, and a reader its first events sooner.
  #take(): Waiting[] {
    let units = 0;
    let events = 0;
    let bytes = 0;
    while (units < this.#waiting.length && events < this.#flushAtEvents) {
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
    return this.#waitingBytes > this.#maxWaitingBytes
      ? new JournalOverloadedError(this.#waitingBytes)
      : undefined;
  }

  // How it went for each unit. Followers have been told by then, the callers not yet.
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
      // Something in this batch cannot be written; alone, each shows whether it was the one.
      return this.#writeOneByOne(units);
    }
    this.#committed(plan);
    return plan.outcomes;
  }

  async #writeOneByOne(units: readonly Waiting[]): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const unit of units) {
      // A storage that can no longer be trusted is given nothing more.
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
