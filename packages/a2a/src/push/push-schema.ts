import type { Migration, SqlRunner } from "@parley/journal";

const PUSH_TABLES = (text: string, number: string, kind: string) => `
  CREATE TABLE push_configs (
    task ${text} NOT NULL, id ${text} NOT NULL, dialect ${text} NOT NULL, receiver ${text} NOT NULL,
    sealed ${text} NOT NULL, since ${number} NOT NULL, state ${text}, said ${number}, due ${number}, claim ${text},
    claimed_until ${number}, PRIMARY KEY (task, id)
  ) ${kind};
  CREATE INDEX push_due ON push_configs (due, receiver, claimed_until) WHERE due IS NOT NULL;
  CREATE TABLE push_outbox (
    task ${text} NOT NULL, config ${text} NOT NULL, idx ${number} NOT NULL, tries integer NOT NULL DEFAULT 0,
    error ${text}, died ${number}, PRIMARY KEY (task, config, idx)
  ) ${kind};
  CREATE INDEX push_dead ON push_outbox (died) WHERE died IS NOT NULL;`;

/**
 * `push_configs` is also the queue's turnstile. `due` says when the oldest row of its outbox may be tried, and is
 * null when there is none; `claim` and `claimed_until` say who is at it. So order per config needs no more than
 * that one worker at a time has the config.
 */
export const PUSH_MIGRATIONS: readonly Migration[] = [
  {
    sqlite: PUSH_TABLES("TEXT", "INTEGER", "WITHOUT ROWID"),
    postgres: PUSH_TABLES("text", "bigint", ""),
  },
  // For whom and where to it is sent; rows that older nodes wrote have neither until their next status.
  {
    sqlite: `
      ALTER TABLE push_configs ADD COLUMN host TEXT; ALTER TABLE push_configs ADD COLUMN owner TEXT;
      DROP INDEX push_due;
      CREATE INDEX push_due ON push_configs (due, host, owner, claimed_until) WHERE due IS NOT NULL;`,
    postgres: `
      ALTER TABLE push_configs ADD COLUMN host text, ADD COLUMN owner text;
      DROP INDEX push_due;
      CREATE INDEX push_due ON push_configs (due, host, owner, claimed_until) WHERE due IS NOT NULL;`,
  },
];

const NOW = {
  sqlite: "CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)",
  postgres: "CAST(extract(epoch FROM statement_timestamp()) * 1000 AS bigint)",
} as const;

/** The database's clock in milliseconds: nodes may disagree about the time, and a claim must not depend on that. */
export function sqlNow({ dialect }: Pick<SqlRunner, "dialect">): string {
  return NOW[dialect];
}
