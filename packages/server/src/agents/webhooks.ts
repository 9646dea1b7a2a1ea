import {
  ConfigSeal,
  type EgressPolicy,
  type Log,
  PushConfigs,
  PushDelivery,
  type PushTable,
  signingSecret,
  silentPushObserver,
} from "@parley/a2a";
import type { Journal } from "@parley/journal";
import type { RecordKeys } from "../keys/record-keys.ts";

export interface WebhookOptions {
  readonly journal: Journal;
  readonly table: PushTable;
  readonly keys: RecordKeys;
  readonly egress: EgressPolicy;
  readonly log: Log;
}

/** Webhooks of all agents of this process; their secrets are sealed with a key of the record's. */
export async function openWebhooks({ journal, table, keys, egress, log }: WebhookOptions) {
  const seal = new ConfigSeal(await keys.of("push"));
  const secret = signingSecret(await keys.of("webhook"));
  const delivery = new PushDelivery({
    journal,
    table,
    seal,
    egress,
    signingSecrets: [secret],
    observer: {
      ...silentPushObserver,
      dead: ({ taskId, index }, { error, tries }) =>
        log.error({ taskId, index, tries, error }, "webhook given up"),
      failed: (error) => log.error({ err: error }, "webhooks failed"),
    },
  });
  return { configs: new PushConfigs({ journal, seal, egress }), delivery };
}
