import type { Meter } from "@opentelemetry/api";
import {
  ConfigSeal,
  DeadLetters,
  type EgressPolicy,
  type Log,
  metricPushObserver,
  PushConfigs,
  PushDelivery,
  type PushTable,
  signingSecret,
  silentPushObserver,
} from "@parley/a2a";
import type { Journal } from "@parley/journal";
import type { RecordKeys } from "../keys/shared-keys.ts";

export interface WebhookOptions {
  readonly journal: Journal;
  readonly table: PushTable;
  readonly keys: RecordKeys;
  readonly egress: EgressPolicy;
  readonly log: Log;
  readonly meter: Meter;
}

/** Webhooks of all agents of this process; their secrets are sealed with a key of the record. */
export async function openWebhooks({ journal, table, keys, egress, log, meter }: WebhookOptions) {
  const seal = new ConfigSeal(await keys.of("push"));
  const secret = signingSecret(await keys.of("webhook"));
  const delivery = new PushDelivery({
    journal,
    table,
    seal,
    egress,
    signingSecrets: [secret],
    observer: metricPushObserver(meter, journal.database, {
      ...silentPushObserver,
      dead: ({ taskId, index }, { error, tries }) =>
        log.error({ taskId, index, tries, error }, "webhook notification undeliverable"),
      failed: (error) => log.error({ err: error }, "delivering webhooks failed"),
    }),
  });
  const deadLetters = new DeadLetters(journal.database, () => delivery.wake(), { perAgent: true });
  return { configs: new PushConfigs({ journal, seal, egress }), delivery, deadLetters };
}
