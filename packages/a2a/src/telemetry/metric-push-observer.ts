import type { Meter } from "@opentelemetry/api";
import type { SqlDatabase } from "@parley/journal";
import type { PushObserver } from "../push/push-observer.ts";

const OUTCOMES = ["delivered", "retried", "dead", "gone"] as const;

/** Counts how tries to send webhooks end, and what is in the outbox; `next` hears of all that too. */
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
      // A database that is away says nothing; all else is still told.
      .catch(() => []);
    if (!row) return;
    result.observe(Number(row.waiting), { state: "waiting" });
    result.observe(Number(row.dead), { state: "dead" });
  });
  const counted = (outcome: (typeof OUTCOMES)[number]) => tries.add(1, { outcome });
  return {
    delivered(notification, count) {
      counted("delivered");
      next.delivered(notification, count);
    },
    retried(notification, failure) {
      counted("retried");
      next.retried(notification, failure);
    },
    dead(notification, failure) {
      counted("dead");
      next.dead(notification, failure);
    },
    gone(notification) {
      counted("gone");
      next.gone(notification);
    },
    failed: (error) => next.failed(error),
  };
}
