import { randomUUID } from "node:crypto";
import type { SqlDatabase, SqlRunner } from "@parley/journal";
import type { DialectVersion } from "../dialects/dialect.ts";
import { sqlNow } from "./push-schema.ts";

/** A notification that this worker has claimed. */
export interface DueNotification {
  readonly taskId: string;
  readonly configId: string;
  readonly index: number;
  readonly tries: number;
  readonly dialect: DialectVersion;
  readonly sealed: string;
  readonly parties: Parties;
}

/** The parties that share the places for deliveries. */
export interface Parties {
  readonly host: string;
  readonly workspace: string;
  readonly owner: string;
  readonly ownerAtHost: string;
}

/** Those of each kind that take no more places for now. */
export type FullParties = { readonly [Kind in keyof Parties]?: readonly string[] };

// An owner is written as `agent/workspace/user`, or without a workspace: all up to the last slash is the workspace's name.
const PARTIES: Parties = {
  owner: "coalesce(owner, '')",
  host: "coalesce(host, '')",
  ownerAtHost: "coalesce(owner, '') || ' ' || coalesce(host, '')",
  workspace: "coalesce(rtrim(owner, replace(owner, '/', '')), '')",
};
const KINDS = Object.keys(PARTIES) as readonly (keyof Parties)[];

/** How a try ended; `put-back` is one that does not count. */
export type Outcome =
  | { readonly end: "delivered" }
  | { readonly end: "failed"; readonly error: string; readonly retryInMs: number }
  | { readonly end: "dead"; readonly error: string }
  | { readonly end: "put-back" };

interface ClaimedRow extends Parties {
  readonly task: string;
  readonly id: string;
  readonly dialect: DialectVersion;
  readonly sealed: string;
}

const CLAIMED = `task, id, dialect, sealed, ${KINDS.map((kind) => `${PARTIES[kind]} AS "${kind}"`).join(", ")}`;

/**
 * What is to be sent, config by config. A worker claims a config whose oldest notification is due, and keeps it, by
 * settling one notification after the other, until nothing is left or one has to wait. A claim that is
 * not renewed expires by the database's clock; its former owner can change nothing any more.
 */
export class PushOutbox {
  readonly #database: SqlDatabase;
  readonly #claimMs: number;
  readonly #worker = randomUUID();

  constructor(database: SqlDatabase, claimMs: number) {
    this.#database = database;
    this.#claimMs = claimMs;
  }

  /** Claims the config that has waited longest, unless one of its parties is among these. */
  claim(full: FullParties): Promise<DueNotification | undefined> {
    return this.#database.transaction(async (transaction) => {
      for (;;) {
        const config = await this.#claimConfig(transaction, full);
        if (!config) return undefined;
        const oldest = await this.#oldest(transaction, config);
        if (oldest) return oldest;
      }
    });
  }

  /** Records how a try ended and returns the config's next notification, if it can be sent at once. */
  settle(due: DueNotification, outcome: Outcome): Promise<DueNotification | undefined> {
    return this.#database.transaction(async (transaction) => {
      const config = await this.#renew(transaction, due);
      if (!config) return undefined;
      await this.#record(transaction, due, outcome);
      if (outcome.end === "delivered" || outcome.end === "dead") return this.#oldest(transaction, config);
      const delay = outcome.end === "failed" ? outcome.retryInMs : 0;
      await this.#letGo(transaction, due.taskId, due.configId, Math.round(delay));
      return undefined;
    });
  }

  /** Milliseconds until the next notification can be claimed, not counting those of these parties. */
  async msToNext(full: FullParties): Promise<number | undefined> {
    const { conditions, names } = without(full, 1);
    const [row] = await this.#database.query<{ wait: number | null }>(
      `SELECT min(CASE WHEN claimed_until > due THEN claimed_until ELSE due END) - ${sqlNow(this.#database)} AS wait
       FROM push_configs WHERE due IS NOT NULL ${conditions}`,
      names,
    );
    return row?.wait ?? undefined;
  }

  /** For a storage that has one process: claims of the one before are void. */
  async voidClaims(): Promise<void> {
    const sql = "UPDATE push_configs SET claim = NULL, claimed_until = NULL WHERE claim IS NOT NULL";
    await this.#database.transaction((transaction) => transaction.query(sql));
  }

  async #claimConfig(transaction: SqlRunner, full: FullParties): Promise<ClaimedRow | undefined> {
    const now = sqlNow(transaction);
    const skip = transaction.dialect === "postgres" ? "FOR UPDATE SKIP LOCKED" : "";
    const { conditions, names } = without(full, 3);
    const [row] = await transaction.query<ClaimedRow>(
      `UPDATE push_configs SET claim = $1, claimed_until = ${now} + $2 WHERE (task, id) = (
         SELECT task, id FROM push_configs
         WHERE due <= ${now} AND (claimed_until IS NULL OR claimed_until <= ${now}) ${conditions}
         ORDER BY due LIMIT 1 ${skip}
       ) RETURNING ${CLAIMED}`,
      [this.#worker, this.#claimMs, ...names],
    );
    return row;
  }

  async #renew(
    transaction: SqlRunner,
    { taskId, configId }: DueNotification,
  ): Promise<ClaimedRow | undefined> {
    const [row] = await transaction.query<ClaimedRow>(
      `UPDATE push_configs SET claimed_until = ${sqlNow(transaction)} + $4
       WHERE task = $1 AND id = $2 AND claim = $3 RETURNING ${CLAIMED}`,
      [taskId, configId, this.#worker, this.#claimMs],
    );
    return row;
  }

  // A config without notifications is released with no due time; the next status sets one.
  async #oldest(transaction: SqlRunner, config: ClaimedRow): Promise<DueNotification | undefined> {
    const { task, id, dialect, sealed, ...parties } = config;
    const [row] = await transaction.query<{ idx: number; tries: number }>(
      `SELECT idx, tries FROM push_outbox WHERE task = $1 AND config = $2 AND died IS NULL
       ORDER BY idx LIMIT 1`,
      [task, id],
    );
    if (row)
      return { taskId: task, configId: id, index: row.idx, tries: row.tries, dialect, sealed, parties };
    await this.#letGo(transaction, task, id, undefined);
    return undefined;
  }

  async #record(transaction: SqlRunner, due: DueNotification, outcome: Outcome): Promise<void> {
    const row = "task = $1 AND config = $2 AND idx = $3";
    const name = [due.taskId, due.configId, due.index];
    switch (outcome.end) {
      case "delivered":
        await transaction.query(`DELETE FROM push_outbox WHERE ${row}`, name);
        return;
      case "failed":
      case "dead": {
        const died = outcome.end === "dead" ? sqlNow(transaction) : "NULL";
        const sql = `UPDATE push_outbox SET tries = tries + 1, error = $4, died = ${died} WHERE ${row}`;
        await transaction.query(sql, [...name, outcome.error]);
        return;
      }
      case "put-back":
        return;
      default:
        outcome satisfies never;
    }
  }

  async #letGo(
    transaction: SqlRunner,
    taskId: string,
    id: string,
    delayMs: number | undefined,
  ): Promise<void> {
    const due = delayMs === undefined ? "NULL" : `${sqlNow(transaction)} + ${delayMs}`;
    const sql = `UPDATE push_configs SET claim = NULL, claimed_until = NULL, due = ${due}`;
    await transaction.query(`${sql} WHERE task = $1 AND id = $2`, [taskId, id]);
  }
}

function without(full: FullParties, first: number) {
  const names: string[] = [];
  const conditions = KINDS.filter((kind) => full[kind]?.length).map((kind) => {
    const places = full[kind]?.map((name) => `$${first - 1 + names.push(name)}`);
    return `AND ${PARTIES[kind]} NOT IN (${places?.join(", ")})`;
  });
  return { conditions: conditions.join(" "), names };
}
