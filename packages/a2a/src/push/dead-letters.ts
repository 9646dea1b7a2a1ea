import type { SqlDatabase, SqlValue } from "@parley/journal";
import { sqlNow } from "./push-schema.ts";

const LARGEST_PAGE = 1_000;

export interface DeadLetter {
  readonly taskId: string;
  readonly configId: string;
  readonly index: number;
  readonly receiver: string;
  readonly tries: number;
  readonly error: string;
  /** Milliseconds since 1970. */
  readonly died: number;
}

/** Which dead letters: all of a task, or of one of its webhooks, or just one. */
export interface DeadLetterQuery {
  readonly taskId: string;
  readonly configId?: string;
  readonly index?: number;
}

/** Notifications that were given up: kept as long as their task, shown to its owner, sent again on request. */
export class DeadLetters {
  readonly #database: SqlDatabase;
  readonly #wake: () => void;
  readonly #owned: (parameter: string) => string;

  /**
   * `wake` tells the delivery that there is something to do. With `perAgent`, a task's owner is written as the agent's
   * name, a slash and the owner, as where several agents share a journal.
   */
  constructor(database: SqlDatabase, wake: () => void, { perAgent = false } = {}) {
    this.#database = database;
    this.#wake = wake;
    this.#owned = (parameter) =>
      perAgent ? `t.owner = t.agent || '/' || ${parameter}` : `t.owner = ${parameter}`;
  }

  list(owner: string, query: { taskId?: string; limit?: number } = {}): Promise<DeadLetter[]> {
    const { taskId, limit = LARGEST_PAGE } = query;
    const ofTask = taskId === undefined ? "" : "AND o.task = $3";
    const parameters: SqlValue[] = [owner, Math.min(limit, LARGEST_PAGE)];
    return this.#database.query<DeadLetter>(
      `SELECT o.task AS "taskId", o.config AS "configId", o.idx AS "index", c.receiver, o.tries, o.error, o.died
       FROM push_outbox o JOIN tasks t ON t.id = o.task
       JOIN push_configs c ON c.task = o.task AND c.id = o.config
       WHERE o.died IS NOT NULL AND ${this.#owned("$1")} ${ofTask} ORDER BY o.died DESC, o.idx DESC LIMIT $2`,
      taskId === undefined ? parameters : [...parameters, taskId],
    );
  }

  /** Queues them again, with all their tries, before whatever else waits there; returns how many. */
  async replay(owner: string, { taskId, configId, index }: DeadLetterQuery): Promise<number> {
    const replayed = await this.#database.transaction(async (transaction) => {
      const parameters: SqlValue[] = [taskId, owner];
      const config = configId === undefined ? "" : `= $${parameters.push(configId)}`;
      const own = `task = $1 AND EXISTS (SELECT 1 FROM tasks t WHERE t.id = $1 AND ${this.#owned("$2")})`;
      // The config first, in the same lock order as everywhere: no deadlock.
      const due = `UPDATE push_configs SET due = ${sqlNow(transaction)}`;
      await transaction.query(`${due} WHERE ${own} ${config && `AND id ${config}`}`, parameters);
      const one = index === undefined ? "" : `AND idx = $${parameters.push(index)}`;
      return transaction.query(
        `UPDATE push_outbox SET died = NULL, tries = 0, error = NULL
         WHERE ${own} AND died IS NOT NULL ${config && `AND config ${config}`} ${one} RETURNING idx`,
        parameters,
      );
    });
    if (replayed.length > 0) this.#wake();
    return replayed.length;
  }
}
