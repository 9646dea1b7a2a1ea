import type { RecordedEvent, SqlRunner } from "@parley/journal";
import type { TaskState, TaskStatus } from "../protocol/model.ts";
import { type PushConfigured, statusIn, type TaskEvent } from "../tasks/task-events.ts";
import { sqlNow } from "./push-schema.ts";

/** What a webhook was last told, or rather: will have been, when its queue is empty. */
interface LastNews {
  readonly state: TaskState | null;
  /** Milliseconds since 1970, as the status says. */
  readonly said: number | null;
}

const WORDS_EVERY_MS = 1_000;

/**
 * Whether a status is worth a webhook. Every change of state is. What an agent says while its state stays the same
 * may be every single token, so of that there is one in a second at most: enough to show progress, and the
 * change of state that follows is never held back by it. Who wants every word streams.
 */
export function isNews({ state, timestamp }: TaskStatus, last: LastNews): boolean {
  if (state !== last.state || last.said === null) return true;
  // The distance, not the difference: a clock that was set back must not silence a task.
  return Math.abs(Date.parse(timestamp) - last.said) >= WORDS_EVERY_MS;
}

/** So many webhooks a task can have. */
export const MAX_CONFIGS = 20;

/** A webhook, as far as it decides about notifications. */
export interface ConfigRow extends LastNews {
  readonly id: string;
}

/** The webhooks of one task, inside the transaction that records its events. */
export class TaskWebhooks {
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
    const status = this.#configs.size > 0 ? statusIn(event) : undefined;
    if (!status) return false;
    const curious = [...this.#configs.values()].filter((last) => isNews(status, last));
    for (const { id } of curious) await this.#queueFor(id, event.index, status);
    return curious.length > 0;
  }

  async #queueFor(id: string, index: number, { state, timestamp }: TaskStatus): Promise<void> {
    const said = Date.parse(timestamp);
    this.#configs.set(id, { id, state, said });
    // The config first: its lock keeps a worker that has just found nothing more from going to sleep.
    await this.#transaction.query(
      `UPDATE push_configs SET state = $3, said = $4, due = coalesce(due, ${sqlNow(this.#transaction)}),
         owner = (SELECT owner FROM tasks WHERE tasks.id = $1)
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
      `INSERT INTO push_configs (task, id, dialect, receiver, sealed, since, host) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (task, id) DO UPDATE SET dialect = $3, receiver = $4, sealed = $5, host = $7`,
      [this.#taskId, id, dialect, receiver, sealed, since, new URL(receiver).hostname],
    );
  }

  async #remove(id: string): Promise<void> {
    this.#configs.delete(id);
    const name = [this.#taskId, id];
    await this.#transaction.query("DELETE FROM push_configs WHERE task = $1 AND id = $2", name);
    await this.#transaction.query("DELETE FROM push_outbox WHERE task = $1 AND config = $2", name);
  }
}
