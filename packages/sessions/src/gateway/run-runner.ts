import { FairQueue, noTracing, type Tracing } from "@parley/a2a";
import { LeaseHeldError } from "@parley/journal";
import { runStream } from "../session-streams.ts";
import { DispatchedRequests } from "./dispatched-requests.ts";
import { LiveThoughts } from "./live-thoughts.ts";
import { RunExecution } from "./run-execution.ts";
import { defaultRunLimits, type RunLimits } from "./run-limits.ts";
import { type RunQueue, type RunReference, runsToTake } from "./run-queue.ts";
import { framesOf } from "./run-record.ts";
import { forgetFrames } from "./run-retention.ts";
import { type RunObserver, type RunSetting, silentRunObserver } from "./run-setting.ts";

export interface RunRunnerOptions extends Pick<RunSetting, "journal" | "agents" | "session" | "keepFile"> {
  readonly queue: RunQueue;
  readonly limits?: Partial<RunLimits>;
  readonly observer?: RunObserver;
  readonly thoughts?: LiveThoughts;
  readonly tracing?: Tracing;
  /** Milliseconds between two looks for runs that nobody owns. */
  readonly sweepMs?: number;
  /** How long the frames of ended runs are kept. */
  readonly framesKeptMs?: number;
  /** How many runs there are at the same time, and whose is next. */
  readonly turns?: Pick<FairQueue, "enter">;
}

interface Carried {
  /** Whether the run is no longer ours, though its execution has not noticed. */
  isLost: boolean;
}

/** At the same time. */
export const MAX_RUNS = 1_000;
const RETENTION_MS = 3_600_000;
const RUN_STREAM = runStream("");

/**
 * Carries out runs: those that begin here, those that go on because a person has answered, and those whose owner is
 * gone. A run belongs to whoever holds its lease, so any number of nodes can do this at once.
 */
export class RunRunner {
  readonly #options: RunRunnerOptions;
  readonly #setting: RunSetting;
  readonly #turns: Pick<FairQueue, "enter">;
  readonly #stopping = new AbortController();
  readonly #running = new Map<string, Carried>();
  /** Those that were lost and have not noticed are among these. */
  readonly #underWay = new Set<Promise<void>>();
  /** Runs with news that came while they were at work. */
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

  /** Takes up all that nobody owns, and from then on whatever comes. */
  async start(): Promise<void> {
    const { queue, sweepMs = 2_000 } = this.#options;
    this.#unsubscribe = queue.onCommitted((sessionId, events) => {
      for (const runId of runsToTake(events)) this.take({ sessionId, runId });
    });
    await this.#sweep(true);
    this.#sweeper = setInterval(() => void this.#sweep(false), sweepMs).unref();
    this.#keeper = setInterval(() => void this.#forget(), RETENTION_MS).unref();
  }

  /** Carries a run out, unless somebody else does. */
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

  /** How many runs are carried out here now. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** Resolves when nothing is at work here; runs that wait for a person are not. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Lets go of all runs, for others to take; their agents work on. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    clearInterval(this.#sweeper);
    clearInterval(this.#keeper);
    this.#stopping.abort(new Error("The gateway stops"));
    await this.#sweeping;
    await this.idle();
  }

  /** One that was lost can write nothing more: whatever it still waits for, the run may begin here again beside it. */
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

  /** Looks for runs that nobody owns; those that wait for a person have nothing to be done, but for the first time. */
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
    // Runs of other nodes would take the turns, and the places in the queue, of runs that nobody carries out.
    const leased = await this.#setting.journal.leased(open.map(({ runId }) => runStream(runId)));
    for (const run of open)
      if (!leased.has(runStream(run.runId)) && !this.#isCarriedOut(run.runId)) this.take(run);
    for (const stream of await this.#setting.journal.orphaned()) {
      if (!stream.startsWith(RUN_STREAM)) continue;
      const run = await this.#abandoned(stream.slice(RUN_STREAM.length));
      if (run && !this.#isCarriedOut(run.runId)) this.take(run);
    }
  }

  /** A run that may have ended, whose owner had no time to tell its agent so. */
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
