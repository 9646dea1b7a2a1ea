import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { freePortRange } from "@parley/testing/free-port-range.ts";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, inject, onTestFinished } from "vitest";
import type { Peer } from "../../peers/index.ts";
import { ApiClient } from "./api-client.ts";

const MAIN = resolve(import.meta.dirname, "../../../packages/server/src/main.ts");

/** Where a platform can keep its journal. */
export const STORAGES = ["SQLite", "Postgres"] as const;
export type Storage = (typeof STORAGES)[number];

/** The `DATABASE_URL` of a new database, gone with the test; on SQLite there is none. */
export async function newDatabase(storage: Storage): Promise<string | undefined> {
  if (storage === "SQLite") return undefined;
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  return url;
}

/** The whole platform in a process of its own, which can be killed and started again on the same port and data; it ends with the test. */
export class RecordPlatform {
  readonly url: string;
  readonly api: ApiClient;
  /** All that it ever printed or logged. */
  output = "";
  readonly #folder: string;
  readonly #database: string | undefined;
  #child: ChildProcess | undefined;

  private constructor(port: number, folder: string, database: string | undefined) {
    this.url = `http://localhost:${port}`;
    this.api = new ApiClient(this.url);
    this.#folder = folder;
    this.#database = database;
  }

  /** With these agents in its `agents.json`, and the offline model; its journal is in the database, or else in SQLite. */
  static async start(
    peers: Readonly<Record<string, Pick<Peer, "url">>> = {},
    database?: string,
  ): Promise<RecordPlatform> {
    const agents = Object.fromEntries(Object.entries(peers).map(([name, { url }]) => [name, { url }]));
    const folder = await testFolder({ "agents/agents.json": JSON.stringify({ agents }) });
    const platform = new RecordPlatform(await freePortRange(0), folder, database);
    // Before the folder goes.
    onTestFinished(() => platform.kill());
    await platform.restart();
    const known = async () => (await platform.api.agents()).filter(({ state }) => state === "up").length;
    await expect.poll(known, { timeout: 10_000 }).toBe(Object.keys(agents).length);
    return platform;
  }

  get dataFolder(): string {
    return join(this.#folder, "data");
  }

  /** Starts it, and resolves when it goes on with what was under way. */
  async restart(): Promise<void> {
    const child = spawn(process.execPath, [MAIN], {
      env: {
        ...{ PATH: process.env.PATH, PORT: new URL(this.url).port },
        ...{ PARLEY_LOG: "debug", PARLEY_MODEL: "offline" },
        ...{ PARLEY_DATA: this.dataFolder, PARLEY_AGENTS: join(this.#folder, "agents") },
        ...(this.#database !== undefined && { DATABASE_URL: this.#database }),
      },
      // Where there is no `.env`: it is not a test's.
      cwd: this.#folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    const since = this.output.length;
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (this.output += text));
    const isUp = () => /^ {2}model/m.test(this.output.slice(since));
    while (!isUp()) {
      if (child.exitCode !== null) throw new Error(`The platform ended: ${this.output.slice(since)}`);
      await Promise.race([once(child, "close"), once(child.stdout, "data")]);
    }
  }

  /** As the power does: nothing is put in order. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "close");
    child.kill("SIGKILL");
    await gone;
  }
}
