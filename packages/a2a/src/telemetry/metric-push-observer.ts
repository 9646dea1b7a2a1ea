import type { Meter } from "@opentelemetry/api";
import type { SqlDatabase } from "@parley/journal";
import type { PushObserver } from "../push/push-observer.ts";

const OUTCOMES = ["delivered", "retried", "dead", "gone"] as const;

/** Counts the outcomes of webhook deliveries and the size of the outbox, and forwards everything to `next`. */
export function metricPushObserver(meter: Meter, database: SqlDatabase, next: PushObserver): PushObserver {
  const tries = meter.createCounter("webhooks.tries", { description: "Tries to send a webhook, by outcome" });
  const outbox = meter.createObservableGauge("webhooks.outbox", {
    description: "Webhooks in the outbox of all nodes: waiting to be sent, or dead",
  });
  for (const outcome of OUTCOMES) tries.add(0, { outcome });
  outbox.addCallback(async (result) => {
    const [row] = await database
      .query<{ waiting: number; dead: number }>(
        "SELECT count(*) - count(died) AS waiting, count(died) AS dead FROM push_outbox",
      )
      // Without the database, the other metrics are still reported.
      .catch(() => []);
    if (!row) return;
    result.observe(Number(row.waiting), { state: "waiting" });
    result.observe(Number(row.dead), { state: "dead" });
  });
  const counted =
    <Args extends unknown[]>(outcome: (typeof OUTCOMES)[number], hear: (...args: Args) => void) =>
    (...args: Args) => {
      tries.add(1, { outcome });
      hear.apply(next, args);
    };
  return {
    delivered: counted("delivered", next.delivered),
    retried: counted("retried", next.retried),
    dead: counted("dead", next.dead),
    gone: counted("gone", next.gone),
    failed: (error) => next.failed(error),
  };
}
