import type { Meter } from "@opentelemetry/api";
import type { RunQueue, RunRunner } from "@parley/sessions";

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
