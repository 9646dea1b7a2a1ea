import { FairQueue, noTracing, type Tracing } from "@parley/a2a";
import { LeaseHeldError } from "@parley/journal";
import type { SessionEvent } from "../domain/session-event.ts";
import { runStream } from "../session-streams.ts";
import { DispatchedRequests } from "./dispatched-requests.ts";
import { LiveThoughts } from "./live-thoughts.ts";
import { RunExecution } from "./run-execution.ts";
import { defaultRunLimits, type RunLimits } from "./run-limits.ts";
import { framesOf } from "./run-record.ts";
import { forgetFrames } from "./run-retention.ts";
import { type RunObserver, type RunReference, type RunSetting, silentRunObserver } from "./run-setting.ts";

/** Where the gateway finds runs to take. */
export interface RunQueue {
  /** All recorded runs under way; `waiting` ones wait for a person. */
  open(): Promise<readonly (RunReference & { readonly status: "running" | "waiting" })[]>;
  /** Calls the listener with what this process commits; `open` finds what it misses. Returns a function that unsubscribes. */
  onCommitted(listener: (sessionId: string, events: readonly SessionEvent[]) => void): () => void;
}

export interface RunRunnerOptions extends Pick<RunSetting, "journal" | "agents" | "session" | "keepFile"> {
  readonly queue: RunQueue;
  readonly limits?: Partial<RunLimits>;
  readonly observer?: RunObserver;
  readonly thoughts?: LiveThoughts;
  readonly tracing?: Tracing;
  /** Between two searches for runs without an owner. */
  readonly sweepMs?: number;
  readonly framesKeptMs?: number;
  /** Schedules runs fairly. */
  readonly turns?: Pick<FairQueue, "enter">;
}

interface Carried {
  /** The lease is lost, though the execution has not noticed. */
  isLost: boolean;
}

export const MAX_RUNS = 1_000;
const RETENTION_MS = 3_600_000;
const RUN_STREAM = runStream("");

/** Executes new, answered and orphaned runs; the lease of a run decides which of any number of nodes does. */
export class RunRunner {
  readonly #options: RunRunnerOptions;
  readonly #setting: RunSetting;
  readonly #turns: Pick<FairQueue, "enter">;
  readonly #stopping = new AbortController();
  readonly #running = new Map<string, Carried>();
  /** Includes lost ones that have not noticed. */
  readonly #underWay = new Set<Promise<void>>();
  /** Runs with news while they were being executed. */
  readonly #again = new Map<string, RunReference>();
  #unsubscribe: () => void = () => {};
  #sweeper: NodeJS.Timeout | undefined;
  #keeper: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;

  constructor(options: RunRunnerOptions) {
    const { journal, agents, limits, observer = silentRunObserver, thoughts = new LiveThoughts() } = options;
    this.#options = options;
    this.#turns = options.turns ?? new FairQueue({ total: MAX_RUNS });
    this.#setting = {
      journal,
      agents,
      observer,
      thoughts,
      limits: { ...defaultRunLimits, ...limits },
      dispatched: new DispatchedRequests(),
      tracing: options.tracing ?? noTracing,
      session: (id) => options.session(id),
      ...(options.keepFile && { keepFile: options.keepFile }),
    };
  }

  /** Takes all runs without an owner, and from then on new ones. */
  async start(): Promise<void> {
    const { queue, sweepMs = 2_000 } = this.#options;
    this.#unsubscribe = queue.onCommitted((sessionId, events) => {
      for (const runId of runsToTake(events)) this.take({ sessionId, runId });
    });
    await this.#sweep(true);
    this.#sweeper = setInterval(() => void this.#sweep(false), sweepMs).unref();
    this.#keeper = setInterval(() => void this.#forget(), RETENTION_MS).unref();
  }

  /** Executes a run, unless another node does. */
  take(run: RunReference): void {
    const { runId } = run;
    if (this.#stopping.signal.aborted) return;
    if (this.#isCarriedOut(runId)) {
      this.#again.set(runId, run);
      return;
    }
    const carried: Carried = { isLost: false };
    this.#running.set(runId, carried);
    const work = this.#carryOut(run, carried).finally(() => {
      this.#underWay.delete(work);
      if (this.#running.get(runId) !== carried) return;
      this.#running.delete(runId);
      const again = this.#again.get(runId);
      this.#again.delete(runId);
      if (again) this.take(again);
    });
    this.#underWay.add(work);
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /** Resolves when no run is executed here; those that wait for a person are not. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Releases all runs for other nodes; their agents work on. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    clearInterval(this.#sweeper);
    clearInterval(this.#keeper);
    this.#stopping.abort(new Error("Gateway is shutting down"));
    await this.#sweeping;
    await this.idle();
  }

  /** A lost one can write nothing more: the run may start here again beside it. */
  #isCarriedOut(runId: string): boolean {
    return this.#running.get(runId)?.isLost === false;
  }

  async #carryOut(run: RunReference, carried: Carried): Promise<void> {
    const { journal, observer } = this.#setting;
    const lost = () => {
      carried.isLost = true;
    };
    try {
      const { workspace, owner: user } = await this.#setting.session(run.sessionId).current();
      using _ = await this.#turns.enter({ workspace, user }, this.#stopping.signal);
      const lease = await journal.acquire(runStream(run.runId));
      lease.signal.addEventListener("abort", lost);
      try {
        await RunExecution.carryOut(this.#setting, run, lease, this.#stopping.signal);
      } finally {
        lease.signal.removeEventListener("abort", lost);
        await lease.release();
      }
    } catch (error) {
      if (!(error instanceof LeaseHeldError || this.#stopping.signal.aborted))
        observer.failed(run, error as Error);
    }
  }

  /** Searches for runs without an owner; those that wait for a person only the first time. */
  #sweep(isFirst: boolean): Promise<void> {
    this.#sweeping ??= this.#lookFor(isFirst)
      .catch((error: Error) => this.#setting.observer.failed({ sessionId: "", runId: "" }, error))
      .finally(() => {
        this.#sweeping = undefined;
      });
    return this.#sweeping;
  }

  async #lookFor(isFirst: boolean): Promise<void> {
    const open = (await this.#options.queue.open()).filter(
      ({ runId, status }) => (isFirst || status === "running") && !this.#isCarriedOut(runId),
    );
    // Runs of other nodes would take turns in the queue from runs without an owner.
    const leased = await this.#setting.journal.leased(open.map(({ runId }) => runStream(runId)));
    for (const run of open)
      if (!leased.has(runStream(run.runId)) && !this.#isCarriedOut(run.runId)) this.take(run);
    for (const stream of await this.#setting.journal.orphaned()) {
      if (!stream.startsWith(RUN_STREAM)) continue;
      const run = await this.#abandoned(stream.slice(RUN_STREAM.length));
      if (run && !this.#isCarriedOut(run.runId)) this.take(run);
    }
  }

  /** A run that may have ended without its agent being told. */
  async #abandoned(runId: string): Promise<RunReference | undefined> {
    for await (const frame of framesOf(this.#setting.journal, runId))
      return "taken" in frame ? { sessionId: frame.taken.sessionId, runId } : undefined;
    return undefined;
  }

  async #forget(): Promise<void> {
    const { framesKeptMs } = this.#options;
    const before = framesKeptMs === undefined ? undefined : Date.now() - framesKeptMs;
    await forgetFrames(this.#setting.journal, before).catch((error: Error) =>
      this.#setting.observer.failed({ sessionId: "", runId: "" }, error),
    );
  }
}

const NEWS = new Set(["agent_start", "agent_cancelled", "approval_answered", "user_message"]);

/** The runs that need work because of these events. */
function runsToTake(events: readonly SessionEvent[]): ReadonlySet<string> {
  const news = events.flatMap((event) => (NEWS.has(event.type) && "runId" in event ? [event.runId] : []));
  return new Set(news.filter((id) => id !== undefined));
}
