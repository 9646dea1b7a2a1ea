import type { Meter } from "@opentelemetry/api";
import type { Log } from "@parley/a2a";
import type { RunObserver, RunQueue, RunRunner } from "@parley/sessions";

/** Histogram buckets in seconds. */
const BOUNDARIES = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200];

/** Runs that end on another node are never removed, so the oldest are dropped. */
const MAX_REMEMBERED = 10_000;

/** Counts runs and their outcomes, and measures their duration and time to first event; passes everything to `next`. */
export function metricRunObserver(meter: Meter, next: RunObserver): RunObserver {
  const started = meter.createCounter("runs.started", { description: "Runs started on this node" });
  const ended = meter.createCounter("runs.ended", { description: "Runs ended on this node, by state" });
  const takeovers = meter.createCounter("runs.takeovers", {
    description: "Runs taken over from another process",
  });
  const retries = meter.createCounter("runs.retries", { description: "Retried calls of agents" });
  const advice = { explicitBucketBoundaries: BOUNDARIES };
  const duration = meter.createHistogram("runs.duration_seconds", {
    description: "Duration of runs that started and ended on this node",
    advice,
  });
  const first = meter.createHistogram("runs.first_event_seconds", {
    description: "Time from the start of a run to the first event of its agent",
    advice,
  });
  for (const counter of [started, takeovers, retries]) counter.add(0);
  for (const state of ["completed", "failed", "cancelled"]) ended.add(0, { state });
  /** When active runs started; undefined for those started elsewhere. */
  const startTimes = new Map<string, number | undefined>();
  const since = (at: number) => (performance.now() - at) / 1_000;
  const remember = (runId: string, at: number | undefined) => {
    startTimes.set(runId, at);
    const [oldest] = startTimes.keys();
    if (startTimes.size > MAX_REMEMBERED && oldest !== undefined) startTimes.delete(oldest);
  };
  return {
    ...next,
    taken(run, again) {
      next.taken(run, again);
      // It continues after an answer of a person.
      if (startTimes.has(run.runId)) return;
      remember(run.runId, again ? undefined : performance.now());
      (again ? takeovers : started).add(1);
    },
    heard(run) {
      next.heard(run);
      const at = startTimes.get(run.runId);
      if (at !== undefined) first.record(since(at));
    },
    retrying(run, error) {
      next.retrying(run, error);
      retries.add(1);
    },
    ended(run, state) {
      next.ended(run, state);
      ended.add(1, { state });
      const at = startTimes.get(run.runId);
      if (at !== undefined) duration.record(since(at), { state });
      startTimes.delete(run.runId);
    },
  };
}

/** Logs the progress of runs. */
export function logRunObserver(log: Log): RunObserver {
  return {
    taken: (run, again) => log.debug({ ...run, again }, "run taken"),
    heard: (run) => log.debug({ ...run }, "first event of the agent"),
    retrying: (run, error) => log.warn({ ...run, err: error }, "retrying the agent"),
    restarted: (run, reason) => log.warn({ ...run, reason }, "run restarted"),
    ended: (run, state) => log.info({ ...run, state }, "run ended"),
    undelivered: (run, error) => log.warn({ ...run, err: error }, "message not delivered yet"),
    failed: (run, error) => log.error({ ...run, err: error }, "run failed; it is retried later"),
  };
}

const STATUSES = ["running", "waiting"] as const;

/** Adds the number of active runs to the metrics: on this node, and on all nodes. */
export function observeRuns(
  meter: Meter,
  queue: Pick<RunQueue, "open">,
  runner: Pick<RunRunner, "underWay">,
): void {
  meter
    .createObservableGauge("runs.here", { description: "Runs active on this node" })
    .addCallback((result) => result.observe(runner.underWay));
  meter
    .createObservableGauge("runs.open", {
      description: "Runs of all nodes that have not ended, by status",
    })
    .addCallback(async (result) => {
      // If the storage cannot be reached, the other metrics are still reported.
      const open = await queue.open().catch(() => undefined);
      if (!open) return;
      for (const status of STATUSES)
        result.observe(open.filter((run) => run.status === status).length, { status });
    });
}
