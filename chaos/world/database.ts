import { execFile } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { folderOwnedBy, runningAs, unprivilegedUser } from "@parley/testing/postgres/unprivileged-user.ts";
import { type PostgresServer, startPostgres } from "@parley/testing/postgres-server.ts";
import { Client } from "pg";

const run = promisify(execFile);
const NAME = "chaos";

/** A Postgres whose tables are on a small disk, and which can be killed and started again. */
export class Database {
  readonly url: string;
  readonly port: number;
  readonly #server: PostgresServer;
  readonly #dataFolder: string;

  private constructor(server: PostgresServer, dataFolder: string) {
    const url = new URL(server.url);
    url.pathname = `/${NAME}`;
    this.url = url.href;
    this.port = Number(url.port);
    this.#server = server;
    this.#dataFolder = dataFolder;
  }

  /** Starts it with its tables on this disk; its own log stays elsewhere, because without room for that it would stop. */
  static async start(disk: string): Promise<Database> {
    const server = await startPostgres({ settings: { max_connections: "100" } });
    chmodSync(disk, 0o777);
    const tables = folderOwnedBy(unprivilegedUser(), "tables-", [disk]);
    const folder = await withClient(server.url, async (client) => {
      await client.query(`CREATE TABLESPACE small LOCATION '${tables}'`);
      await client.query(
        `CREATE DATABASE ${NAME} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' TABLESPACE small`,
      );
      return (await client.query<{ data_directory: string }>("SHOW data_directory")).rows[0]?.data_directory;
    });
    return new Database(server, folder ?? "");
  }

  /** The server's address by another port, for a client of this name. */
  urlBy(port: number, application: string): string {
    const url = new URL(this.url);
    url.port = String(port);
    url.searchParams.set("application_name", application);
    return url.href;
  }

  /** Kills it abruptly, like a power failure. */
  kill(): void {
    const [pid] = readFileSync(join(this.#dataFolder, "postmaster.pid"), "utf8").split("\n");
    process.kill(Number(pid), "SIGKILL");
  }

  /** Shuts it down gracefully, disconnecting its clients. */
  async shutDown(): Promise<void> {
    await this.#control("stop", "-m", "fast");
  }

  /** Starts it again on its data; those of its processes that outlived it have to end first. */
  async startAgain(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#control("start", "-l", join(this.#dataFolder, "../log"));
      } catch (error) {
        if (attempt === 20) throw error;
        await sleep(250);
      }
    }
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  async #control(verb: string, ...more: readonly string[]): Promise<void> {
    const args = [verb, "-w", "-t", "60", "-D", this.#dataFolder, ...more];
    // The server inherits open descriptors, which must not be pipes that a parent waits for.
    await run(
      "sh",
      ["-c", '"$0" "$@" >/dev/null 2>&1 </dev/null', join(this.#server.binaries, "pg_ctl"), ...args],
      {
        cwd: "/",
        ...runningAs(unprivilegedUser()),
      },
    );
  }
}

/** Does something with a connection of its own. */
export async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {}); // A broken connection fails the query that uses it.
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
