import type { Projection, RecordedEvent, SqlRunner } from "@parley/journal";
import { concernsPush, isPiece, statusIn, type TaskEvent, taskIdOf } from "../tasks/task-events.ts";
import { PUSH_MIGRATIONS } from "./push-schema.ts";
import { type ConfigRow, TaskWebhooks } from "./task-webhooks.ts";

/** The webhooks of tasks and what is to be sent to them, written with the status that it tells. */
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
