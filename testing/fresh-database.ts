import { randomBytes } from "node:crypto";
import { connected, databaseUrl, giveBack, takeEmptied } from "./emptied-databases.ts";

/** A private database on a shared server. */
export interface FreshDatabase {
  readonly url: string;
  /** Makes its URL unreachable and closes open connections. */
  drop(): Promise<void>;
}

/** Gives an empty UTF-8 database with a name that nobody else has or had, on the server of this URL. */
export async function freshDatabase(url: string): Promise<FreshDatabase> {
  const name = `parley_${randomBytes(8).toString("hex")}`;
  await connected(url, async (server) => {
    if (await takeEmptied(server, name)) return;
    // template0 and C give the same database on every server, and do not wait for connections to template1.
    await server.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
  });
  return { url: databaseUrl(url, name), drop: () => giveBack(url, name) };
}
