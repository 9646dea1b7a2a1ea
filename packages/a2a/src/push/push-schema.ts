import type { Migration, SqlRunner } from "@parley/journal";

/**
 * `push_configs` is also the queue's turnstile. `due` says when the oldest row of its outbox may be tried, and is
 * null when there is none; `claim` and `claimed_until` say who is at it. So order per config needs no more than
 * that one worker at a time has the config.
 */
export const PUSH_MIGRATIONS: readonly Migration[] = [
  {
    sqlite: `
      CREATE TABLE push_configs (
        task TEXT NOT NULL, id TEXT NOT NULL, dialect TEXT NOT NULL, receiver TEXT NOT NULL, sealed TEXT NOT NULL,
        since INTEGER NOT NULL, state TEXT, said INTEGER, due INTEGER, claim TEXT, claimed_until INTEGER,
        PRIMARY KEY (task, id)
      ) WITHOUT ROWID;
      CREATE INDEX push_due ON push_configs (due, receiver, claimed_until) WHERE due IS NOT NULL;
      CREATE TABLE push_outbox (
        task TEXT NOT NULL, config TEXT NOT NULL, idx INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0,
        error TEXT, died INTEGER, PRIMARY KEY (task, config, idx)
      ) WITHOUT ROWID;
      CREATE INDEX push_dead ON push_outbox (died) WHERE died IS NOT NULL;`,
    postgres: `
      CREATE TABLE push_configs (
        task text NOT NULL, id text NOT NULL, dialect text NOT NULL, receiver text NOT NULL, sealed text NOT NULL,
        since bigint NOT NULL, state text, said bigint, due bigint, claim text, claimed_until bigint,
        PRIMARY KEY (task, id)
      );
      CREATE INDEX push_due ON push_configs (due, receiver, claimed_until) WHERE due IS NOT NULL;
      CREATE TABLE push_outbox (
        task text NOT NULL, config text NOT NULL, idx bigint NOT NULL, tries integer NOT NULL DEFAULT 0,
        error text, died bigint, PRIMARY KEY (task, config, idx)
      );
      CREATE INDEX push_dead ON push_outbox (died) WHERE died IS NOT NULL;`,
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
