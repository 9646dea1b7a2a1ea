import type { Projection, RecordedEvent, SqlRunner } from "@parley/journal";
import type { TaskState, TaskStatus } from "../protocol/model.ts";
import {
  concernsPush,
  isPiece,
  type PushConfigured,
  statusIn,
  type TaskEvent,
  taskIdOf,
} from "../tasks/task-events.ts";
import { PUSH_MIGRATIONS, sqlNow } from "./push-schema.ts";

/** The webhooks of tasks and their outbox, written in the commit of the status that they report. */
export interface PushTable extends Projection {
  /** Calls back when something was queued, after its commit; the returned function ends that. */
  onQueued(listener: () => void): () => void;
}

/** A projection for one journal; the delivery listens to it. */
export function pushTable(): PushTable {
  const listeners = new Set<() => void>();
  let queued = false;
  return {
    name: "push",
    migrations: PUSH_MIGRATIONS,
    wants: ({ stream, events }) => taskIdOf(stream) !== undefined && events.some(concernsTable),
    async apply(transaction, commits) {
      const configs = await configsOf(
        transaction,
        commits.map(({ stream }) => taskIdOf(stream) ?? ""),
      );
      for (const { stream, events } of commits) {
        const taskId = taskIdOf(stream) ?? "";
        const task = new TaskWebhooks(transaction, taskId, configs.get(taskId) ?? new Map());
        for (const event of events) {
          if (concernsPush(event)) await task.change(event as RecordedEvent<TaskEvent>);
          else if (await task.queue(event)) queued = true;
        }
      }
    },
    committed() {
      if (!queued) return;
      queued = false;
      for (const listener of listeners) listener();
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
  return !isPiece(event) && (concernsPush(event) || statusIn(event) !== undefined);
}

/** The configs of these tasks, by task and id: one statement, however many tasks a commit has. */
async function configsOf(
  transaction: SqlRunner,
  taskIds: readonly string[],
): Promise<Map<string, Map<string, ConfigRow>>> {
  const configs = new Map(taskIds.map((taskId) => [taskId, new Map<string, ConfigRow>()]));
  const names = taskIds.map((_, position) => `$${position + 1}`).join(", ");
  const sql = `SELECT task, id, state, said FROM push_configs WHERE task IN (${names})`;
  for (const row of await transaction.query<ConfigRow & { task: string }>(sql, taskIds)) {
    configs.get(row.task)?.set(row.id, row);
  }
  return configs;
}

/** The last status queued for a webhook. */
interface LastNews {
  readonly state: TaskState | null;
  /** The status's time, in milliseconds since 1970. */
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

export const MAX_CONFIGS = 20;

interface ConfigRow extends LastNews {
  readonly id: string;
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

  /** False: no webhook needed a notification. */
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

  // One above the limit is ignored; the registering call checks afterwards.
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
