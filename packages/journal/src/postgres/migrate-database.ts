import pg from "pg";
import { pendingMigrations, type SchemaComponent } from "../schema.ts";
import { connectionConfig, hangUp, SCHEMA } from "./postgres-database.ts";
import { retryDeadlocks } from "./postgres-errors.ts";

/** The same on all nodes: only one of them migrates at a time. */
const MIGRATION_LOCK = 7_215_331;
const BACKUP_PREFIX = `${SCHEMA}_backup_`;
const BACKUPS_KEPT = 2;
/** Migrating large tables, or waiting for another node to do it, takes a while. */
const MIGRATE_WITHIN_MS = 600_000;

/** Migrates our schema after a backup of its tables, in one transaction, while older nodes may be at work. */
export function migrateDatabase(url: string, components: readonly SchemaComponent[]): Promise<void> {
  return retryDeadlocks(() => migrateOnce(url, components));
}

async function migrateOnce(url: string, components: readonly SchemaComponent[]): Promise<void> {
  const client = new pg.Client({ ...connectionConfig(url), query_timeout: MIGRATE_WITHIN_MS });
  // A broken connection fails its query; without a listener, its error event would end the process too.
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await client.query("BEGIN");
    await migrate(client, components);
    await client.query("COMMIT");
  } finally {
    await hangUp(client); // Rolls back what was not committed, and gives the lock back.
  }
}

async function migrate(client: pg.Client, components: readonly SchemaComponent[]): Promise<void> {
  const installed = await installedVersions(client);
  const pending = pendingMigrations(`The Postgres database ${client.database}`, components, installed);
  if (pending.length === 0) return;
  if (installed.size > 0) await backUp(client);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
  await client.query(
    "CREATE TABLE IF NOT EXISTS schema_versions (component text PRIMARY KEY, version integer NOT NULL)",
  );
  for (const { postgres, component, version } of pending) {
    await client.query(postgres);
    await client.query(
      "INSERT INTO schema_versions VALUES ($1, $2) ON CONFLICT (component) DO UPDATE SET version = $2",
      [component, version],
    );
  }
}

async function installedVersions(client: pg.Client): Promise<Map<string, number>> {
  const { rows: found } = await client.query("SELECT to_regclass($1) AS name", [`${SCHEMA}.schema_versions`]);
  if (found[0]?.name === null) return new Map();
  const { rows } = await client.query<{ component: string; version: number }>(
    "SELECT component, version FROM schema_versions",
  );
  return new Map(rows.map(({ component, version }) => [component, version]));
}

/**
 * Locks our tables against writes and returns their names, so that the backup is consistent and a migration that moves
 * rows misses none. An append locks `streams` first, and so does this: no deadlock.
 */
async function lockTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ relname: string }>(
    `SELECT relname FROM pg_class
     WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
     ORDER BY relname <> 'streams', relname`,
    [SCHEMA],
  );
  const names = rows.map(({ relname }) => relname);
  await client.query(`LOCK TABLE ${names.map((name) => `${SCHEMA}."${name}"`).join(", ")} IN SHARE MODE`);
  return names;
}

async function backUp(client: pg.Client): Promise<void> {
  const stamp = new Date().toISOString().replaceAll(/\D/g, "");
  const made = `${BACKUP_PREFIX}${stamp}`;
  await client.query(`CREATE SCHEMA ${made}`);
  const tables = await lockTables(client);
  for (const name of tables)
    await client.query(`CREATE TABLE ${made}."${name}" AS TABLE ${SCHEMA}."${name}"`);
  const { rows: backups } = await client.query<{ nspname: string }>(
    "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, $1) ORDER BY nspname",
    [BACKUP_PREFIX],
  );
  // The clock may have gone back: the newest is the one just made, whatever its name.
  const older = backups.filter(({ nspname }) => nspname !== made);
  for (const { nspname } of older.slice(0, older.length + 1 - BACKUPS_KEPT)) {
    await client.query(`DROP SCHEMA ${nspname} CASCADE`);
  }
}
