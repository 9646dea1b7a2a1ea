// Runs in a small file system: starts a Postgres, makes a database in the folder given, prints its URL, and lives until its input ends.
import { chmodSync } from "node:fs";
import { Client } from "pg";
import { folderOwnedBy, unprivilegedUser } from "./postgres/unprivileged-user.ts";
import { startPostgres } from "./postgres-server.ts";

const [, , disk = ""] = process.argv;
// Only the tables live on the small disk: a Postgres without room for its own log would stop altogether.
const server = await startPostgres({ settings: { max_connections: "50" } });
chmodSync(disk, 0o777);
const folder = folderOwnedBy(unprivilegedUser(), "tables-", [disk]);
const client = new Client({ connectionString: server.url });
await client.connect();
await client.query(`CREATE TABLESPACE small LOCATION '${folder}'`);
await client.query("CREATE DATABASE small TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' TABLESPACE small");
await client.end();
const url = new URL(server.url);
url.pathname = "/small";
process.stdout.write(`${url.href}\n`);
process.stdin.resume().on("end", () => void server.stop());
