import type { Projection, RecordedEvent, SqlRunner, StreamCommit } from "@parley/journal";
import type { TaskStatus } from "../protocol/model.ts";
import {
  concernsPush,
  type PushConfigured,
  statusIn,
  type TaskEvent,
  taskIdOf,
} from "../tasks/task-events.ts";
import { isNews, type LastNews } from "./push-news.ts";
import { PUSH_MIGRATIONS, sqlNow } from "./push-schema.ts";

/** So many webhooks a task can have. */
export const MAX_CONFIGS = 20;

/** An event for which a notification was queued, in a transaction that is not yet committed. */
export interface QueuedEvent {
  readonly stream: string;
  readonly index: number;
}

/** The webhooks of tasks and what is to be sent to them, written with the status that it tells. */
export interface PushTable extends Projection {
  /** Calls back for each transaction that queues something; the returned function ends that. */
  onQueued(listener: (event: QueuedEvent) => void): () => void;
}

interface ConfigRow extends LastNews {
  readonly id: string;
}

/** A projection for one journal; the delivery listens to it. */
export function pushTable(): PushTable {
  const listeners = new Set<(event: QueuedEvent) => void>();
  return {
    name: "push",
    migrations: PUSH_MIGRATIONS,
    wants: ({ stream, events }) => taskIdOf(stream) !== undefined && events.some(concernsTable),
    async apply(transaction, commits) {
      let queued: QueuedEvent | undefined;
      for (const commit of commits) queued = (await applyCommit(transaction, commit)) ?? queued;
      if (queued) for (const listener of listeners) listener(queued);
    },
    async deleted(transaction, stream) {
      const taskId = taskIdOf(stream);
      if (taskId === undefined) return;
      await transaction.query("DELETE FROM push_configs WHERE task = $1", [taskId]);
      await transaction.query("DELETE FROM push_outbox WHERE task = $1", [taskId]);
    },
    onQueued(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function concernsTable(event: RecordedEvent): boolean {
  return concernsPush(event) || statusIn(event) !== undefined;
}

/** Returns the last event for which something was queued. */
async function applyCommit(
  transaction: SqlRunner,
  { stream, events }: StreamCommit,
): Promise<QueuedEvent | undefined> {
  const taskId = taskIdOf(stream) ?? "";
  const configs = new Map<string, ConfigRow>();
  const sql = "SELECT id, state, said FROM push_configs WHERE task = $1";
  for (const row of await transaction.query<ConfigRow>(sql, [taskId])) configs.set(row.id, row);
  const task = new TaskWebhooks(transaction, taskId, configs);
  let queued: QueuedEvent | undefined;
  for (const event of events) {
    if (concernsPush(event)) await task.change(event as RecordedEvent<TaskEvent>);
    else if (configs.size > 0 && (await task.queue(event))) queued = { stream, index: event.index };
  }
  return queued;
}

/** The webhooks of one task, inside the transaction that records its events. */
class TaskWebhooks {
  readonly #transaction: SqlRunner;
  readonly #taskId: string;
  readonly #configs: Map<string, ConfigRow>;

  constructor(transaction: SqlRunner, taskId: string, configs: Map<string, ConfigRow>) {
    this.#transaction = transaction;
    this.#taskId = taskId;
    this.#configs = configs;
  }

  async change({ index, payload }: RecordedEvent<TaskEvent>): Promise<void> {
    if ("pushConfigured" in payload) await this.#set(index, payload.pushConfigured);
    else if ("pushRemoved" in payload) await this.#remove(payload.pushRemoved.id);
  }

  /** False: there was nothing new in it for anybody. */
  async queue(event: RecordedEvent): Promise<boolean> {
    const status = statusIn(event);
    const curious = status ? [...this.#configs.values()].filter((last) => isNews(status, last)) : [];
    for (const { id } of curious) if (status) await this.#queueFor(id, event.index, status);
    return curious.length > 0;
  }

  async #queueFor(id: string, index: number, { state, timestamp }: TaskStatus): Promise<void> {
    const said = Date.parse(timestamp);
    this.#configs.set(id, { id, state, said });
    // The config first: its lock keeps a worker that has just found nothing more from going to sleep.
    await this.#transaction.query(
      `UPDATE push_configs SET state = $3, said = $4, due = coalesce(due, ${sqlNow(this.#transaction)})
       WHERE task = $1 AND id = $2`,
      [this.#taskId, id, state, said],
    );
    await this.#transaction.query("INSERT INTO push_outbox (task, config, idx) VALUES ($1, $2, $3)", [
      this.#taskId,
      id,
      index,
    ]);
  }

  // One too many is not taken in; whoever registers it looks afterwards.
  async #set(since: number, { id, dialect, receiver, sealed }: PushConfigured): Promise<void> {
    const known = this.#configs.get(id);
    if (!known && this.#configs.size >= MAX_CONFIGS) return;
    this.#configs.set(id, known ?? { id, state: null, said: null });
    await this.#transaction.query(
      `INSERT INTO push_configs (task, id, dialect, receiver, sealed, since) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (task, id) DO UPDATE SET dialect = $3, receiver = $4, sealed = $5`,
      [this.#taskId, id, dialect, receiver, sealed, since],
    );
  }

  async #remove(id: string): Promise<void> {
    this.#configs.delete(id);
    const name = [this.#taskId, id];
    await this.#transaction.query("DELETE FROM push_configs WHERE task = $1 AND id = $2", name);
    await this.#transaction.query("DELETE FROM push_outbox WHERE task = $1 AND config = $2", name);
  }
}
