import type { Meter } from "@opentelemetry/api";
import type { Log } from "@parley/a2a";
import type { RunObserver, RunQueue, RunRunner } from "@parley/sessions";

/** Seconds, for what takes moments and for what takes hours. */
const BOUNDARIES = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200];

/** Those that another node ends are not heard of again: the oldest are forgotten. */
const MAX_REMEMBERED = 10_000;

/** Counts runs, how they ended, and how long they and their first words took; `next` hears of all that too. */
export function metricRunObserver(meter: Meter, next: RunObserver): RunObserver {
  const started = meter.createCounter("runs.started", { description: "Runs that began here" });
  const ended = meter.createCounter("runs.ended", { description: "Runs that ended here, by state" });
  const takeovers = meter.createCounter("runs.takeovers", {
    description: "Runs that were gone on with here after another process had begun them",
  });
  const retries = meter.createCounter("runs.retries", { description: "Agents that were asked again" });
  const advice = { explicitBucketBoundaries: BOUNDARIES };
  const duration = meter.createHistogram("runs.duration_seconds", {
    ...{ description: "From a run's beginning to its end, of those that did both here", advice },
  });
  const first = meter.createHistogram("runs.first_event_seconds", {
    ...{ description: "From a run's beginning to the first thing that its agent said", advice },
  });
  for (const counter of [started, takeovers, retries]) counter.add(0);
  for (const state of ["completed", "failed", "cancelled"]) ended.add(0, { state });
  /** When those that are under way here began; undefined: elsewhere. */
  const beginnings = new Map<string, number | undefined>();
  const since = (at: number) => (performance.now() - at) / 1_000;
  const remember = (runId: string, at: number | undefined) => {
    beginnings.set(runId, at);
    const [oldest] = beginnings.keys();
    if (beginnings.size > MAX_REMEMBERED && oldest !== undefined) beginnings.delete(oldest);
  };
  return {
    ...next,
    taken(run, again) {
      next.taken(run, again);
      // A person has answered: it goes on where it was.
      if (beginnings.has(run.runId)) return;
      remember(run.runId, again ? undefined : performance.now());
      (again ? takeovers : started).add(1);
    },
    heard(run) {
      next.heard(run);
      const at = beginnings.get(run.runId);
      if (at !== undefined) first.record(since(at));
    },
    retrying(run, error) {
      next.retrying(run, error);
      retries.add(1);
    },
    ended(run, state) {
      next.ended(run, state);
      ended.add(1, { state });
      const at = beginnings.get(run.runId);
      if (at !== undefined) duration.record(since(at), { state });
      beginnings.delete(run.runId);
    },
  };
}

/** Writes how runs go as structured lines. */
export function logRunObserver(log: Log): RunObserver {
  return {
    taken: (run, again) => log.debug({ ...run, again }, "run taken"),
    heard: (run) => log.debug({ ...run }, "agent said its first words"),
    retrying: (run, error) => log.warn({ ...run, err: error }, "agent is asked again"),
    restarted: (run, reason) => log.warn({ ...run, reason }, "run begun anew"),
    ended: (run, state) => log.info({ ...run, state }, "run ended"),
    undelivered: (run, error) => log.warn({ ...run, err: error }, "message not passed on yet"),
    failed: (run, error) => log.error({ ...run, err: error }, "run is taken up again later"),
  };
}

const STATUSES = ["running", "waiting"] as const;

/** Shows how many runs are under way among the measurements: here, and in the record of all nodes. */
export function observeRuns(
  meter: Meter,
  queue: Pick<RunQueue, "open">,
  runner: Pick<RunRunner, "underWay">,
): void {
  meter
    .createObservableGauge("runs.here", { description: "Runs that are carried out here now" })
    .addCallback((result) => result.observe(runner.underWay));
  meter
    .createObservableGauge("runs.open", {
      description: "Runs of all nodes that have not ended, at work or waiting for a person",
    })
    .addCallback(async (result) => {
      // A record that is out of reach says nothing; all else is still told.
      const open = await queue.open().catch(() => undefined);
      if (!open) return;
      for (const status of STATUSES)
        result.observe(open.filter((run) => run.status === status).length, { status });
    });
}
