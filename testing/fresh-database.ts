import { randomBytes } from "node:crypto";
import { Client } from "pg";

/** A database of one's own on a shared server. */
export interface FreshDatabase {
  readonly url: string;
  /** Removes it, cutting whoever is still connected. */
  drop(): Promise<void>;
}

/** Makes an empty UTF-8 database with a name nobody else has, on the server of this URL. */
export async function freshDatabase(url: string): Promise<FreshDatabase> {
  const name = `parley_${randomBytes(8).toString("hex")}`;
  // template0 and C make the same database on every server, and do not wait for whoever is connected to template1.
  await execute(url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { url: own.href, drop: () => execute(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
