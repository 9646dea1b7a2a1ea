import { randomBytes } from "node:crypto";
import { Client, DatabaseError } from "pg";

/** What has been emptied waits under such a name for the next who wants a database. */
const EMPTIED = "parley_emptied_";
/** Another process was faster, or the server itself is looking after it. */
const NOT_TO_BE_HAD: readonly (string | undefined)[] = ["3D000", "55006"];
/** The first id that is not of the server's own making. */
const FIRST_OID = 16_384;

/** Gives a database that was emptied a new name; false: there is none. */
export async function takeEmptied(server: Client, name: string): Promise<boolean> {
  for (const free of await emptied(server)) {
    try {
      await server.query(`ALTER DATABASE ${free} RENAME TO ${name}`);
      return true;
    } catch (error) {
      if (!(error instanceof DatabaseError && NOT_TO_BE_HAD.includes(error.code))) throw error;
    }
  }
  return false;
}

/**
 * Disconnects all clients of a database, renames it, and empties it for reuse. Dropping it would make the server flush
 * the files of all databases first, which takes longer than most tests.
 */
export async function giveBack(url: string, name: string): Promise<void> {
  await connected(url, async (server) => {
    const unknown = `parley_unknown_${randomBytes(8).toString("hex")}`;
    try {
      await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await server.query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1", [
        name,
      ]);
      await server.query(`ALTER DATABASE ${name} RENAME TO ${unknown}`);
    } catch {
      // It is already gone or still in use; any other reason shows up here as well.
      await server.query(dropping(name));
      return;
    }
    await server.query(`ALTER DATABASE ${unknown} ALLOW_CONNECTIONS true`);
    const isEmpty = await connected(databaseUrl(url, unknown), empty);
    const end = `ALTER DATABASE ${unknown} RENAME TO ${EMPTIED}${randomBytes(8).toString("hex")}`;
    await server.query(isEmpty ? end : dropping(unknown));
  });
}

/** Removes from a server what was emptied and not taken again. */
export async function dropEmptied(url: string): Promise<void> {
  await connected(url, async (server) => {
    for (const name of await emptied(server)) await server.query(dropping(name));
  });
}

/** The same server with another database. */
export function databaseUrl(url: string, name: string): string {
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

/** Connects for as long as something takes. */
export async function connected<Result>(
  url: string,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function emptied(server: Client): Promise<readonly string[]> {
  const { rows } = await server.query<{ datname: string }>(
    "SELECT datname FROM pg_database WHERE starts_with(datname, $1)",
    [EMPTIED],
  );
  return rows.map(({ datname }) => datname);
}

/** Drops all schemas; returns whether nothing else was created. */
async function empty(database: Client): Promise<boolean> {
  const { rows } = await database.query<{ name: string }>(
    "SELECT quote_ident(nspname) AS name FROM pg_namespace WHERE oid >= $1",
    [FIRST_OID],
  );
  for (const { name } of rows) await database.query(`DROP SCHEMA ${name} CASCADE`);
  const { rowCount } = await database.query(
    "SELECT oid FROM pg_class WHERE oid >= $1 UNION ALL SELECT oid FROM pg_proc WHERE oid >= $1 UNION ALL SELECT oid FROM pg_type WHERE oid >= $1",
    [FIRST_OID],
  );
  return rowCount === 0;
}

const dropping = (name: string) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`;
