import { setTimeout as sleep } from "node:timers/promises";
import type { NodeName } from "../schedule/fault.ts";
import type { ClientJournal } from "./client-journal.ts";
import { openExchange } from "./http-exchange.ts";

const IDLE_TIMEOUT_MS = 5_000;
const READS_AT_MOST = 4_000_000;

export interface SlowConsumerOptions {
  readonly journal: ClientJournal;
  readonly url: string;
  readonly node: NodeName;
  readonly key: string;
  readonly workspace: string;
  /** The cursor before the first event. */
  readonly lastId: string;
  readonly forMs: number;
}

/** Requests all events, waits this long, and then reads part of them; being disconnected is expected. */
export async function slowConsumer(options: SlowConsumerOptions): Promise<void> {
  const { journal, url, node, key, workspace, lastId, forMs } = options;
  journal.note({ workspace });
  const until = performance.now() + forMs;
  try {
    const answer = await openExchange(`${url}/api/v1/events`, {
      ...{ method: "GET", idleTimeoutMs: forMs + IDLE_TIMEOUT_MS, key, headers: { "last-event-id": lastId } },
    });
    await sleep(Math.max(0, until - performance.now()));
    if (answer.statusCode !== 200) return void answer.destroy();
    const keep = journal.openStream({ node, lastId });
    let read = 0;
    for await (const bytes of answer as AsyncIterable<Buffer>) {
      keep(bytes);
      read += bytes.length;
      if (read > READS_AT_MOST || performance.now() > until + IDLE_TIMEOUT_MS) break;
    }
  } catch (error) {
    journal.note({ cut: (error as Error).message });
  }
}
