import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";
import { freePortRange } from "@parley/testing/free-ports.ts";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { SERVER_PROGRAM } from "@parley/testing/server-program.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { importing, wrongClock } from "@parley/testing/wrong-clock.ts";
import { expect, inject, onTestFinished } from "vitest";
import type { Peer } from "../../peers/index.ts";
import { ApiClient } from "./api-client.ts";

/** Where a platform can keep its journal. */
export const STORAGES = ["SQLite", "Postgres"] as const;
export type Storage = (typeof STORAGES)[number];

export interface PlatformOptions {
  /** The Postgres that holds the journal; without it, the data folder does. */
  readonly database?: string | undefined;
  /** Another's, which two on one Postgres may share. */
  readonly dataFolder?: string;
  /** The command line that starts it, given its data folder. */
  readonly around?: (dataFolder: string) => readonly string[];
  /** The offset of its clock. */
  readonly clockOffMs?: number;
  /** Files of agents that it hosts, by name. */
  readonly agentFiles?: Readonly<Record<string, string>>;
  /** Arguments of `npm start`; what they name is not in the environment. */
  readonly args?: readonly string[];
  /** The program of another tree of sources than this one. */
  readonly main?: string;
  /** Further settings. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Ports of agents that name none begin so far behind the main one. */
const AGENT_PORTS = 15;

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
  /** Its whole output and log. */
  output = "";
  readonly #folder: string;
  #options: PlatformOptions;
  #child: ChildProcess | undefined;

  private constructor(port: number, folder: string, options: PlatformOptions) {
    this.url = `http://localhost:${port}`;
    this.api = new ApiClient(this.url);
    this.#folder = folder;
    this.#options = options;
  }

  /** With these agents in its `agents.json`, and the offline model; it is ended with the test. */
  static async start(
    peers: Readonly<Record<string, Pick<Peer, "url">>> = {},
    options: PlatformOptions = {},
  ): Promise<RecordPlatform> {
    const agents = Object.fromEntries(Object.entries(peers).map(([name, { url }]) => [name, { url }]));
    const { agentFiles = {} } = options;
    const files = Object.entries(agentFiles).map(([name, text]) => [`agents/${name}.md`, text]);
    const folder = await testFolder({
      ...{ "agents/agents.json": JSON.stringify({ agents }), "data/.keep": "" },
      ...Object.fromEntries(files),
    });
    const platform = new RecordPlatform(await freePortRange(AGENT_PORTS), folder, options);
    // Before the folder goes.
    onTestFinished(() => platform.kill());
    await platform.restart();
    const known = async () => (await platform.api.agents()).filter(({ state }) => state === "up").length;
    await expect.poll(known, { timeout: 60_000 }).toBe(Object.keys(agents).length + files.length);
    return platform;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get dataFolder(): string {
    return this.#options.dataFolder ?? join(this.#folder, "data");
  }

  /** Its data folder as it sees it itself, should it have a disk of its own. */
  get ownDataFolder(): string {
    return `/proc/${this.#child?.pid}/root${this.dataFolder}`;
  }

  /** Starts it, and resolves when it goes on with what was under way. */
  async restart(changed: PlatformOptions = {}): Promise<void> {
    this.#options = { ...this.#options, ...changed };
    const { database, around, clockOffMs, environment, main = SERVER_PROGRAM, args = [] } = this.#options;
    const [command = "", ...rest] = [...(around?.(this.dataFolder) ?? []), process.execPath, main, ...args];
    const child = spawn(command, rest, {
      env: {
        ...{ ...bareEnvironment(), PORT: new URL(this.url).port },
        ...{ PARLEY_LOG: "debug", PARLEY_MODEL: "offline" },
        ...{ PARLEY_DATA: this.dataFolder, PARLEY_AGENTS: join(this.#folder, "agents") },
        ...(database !== undefined && { DATABASE_URL: database }),
        ...(clockOffMs !== undefined && { NODE_OPTIONS: importing(wrongClock(clockOffMs)) }),
        ...environment,
      },
      // In a folder without a `.env`, which would not be the test's.
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

  /** Stops it gracefully and returns its exit code. */
  async end(): Promise<{ readonly code: number | null; readonly milliseconds: number }> {
    const began = performance.now();
    const child = this.#child;
    if (!child) throw new Error("It does not run");
    const gone = once(child, "close");
    child.kill("SIGTERM");
    const [code] = await gone;
    return { code, milliseconds: performance.now() - began };
  }

  /** Stops it in its tracks, until it is sent SIGCONT, or anything else that a process can be sent. */
  send(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Kills it without any cleanup, like a power failure. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "close");
    child.kill("SIGKILL");
    await gone;
  }
}
