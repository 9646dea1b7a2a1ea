import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { freePortRange } from "@parley/testing/free-port-range.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, onTestFinished } from "vitest";
import type { Peer } from "../../peers/index.ts";
import { ApiClient } from "./api-client.ts";

const MAIN = resolve(import.meta.dirname, "../../../packages/server/src/main.ts");

/** The whole platform in a process of its own, which can be killed and started again on the same port and data; it ends with the test. */
export class RecordPlatform {
  readonly url: string;
  readonly api: ApiClient;
  /** All that it ever printed or logged. */
  output = "";
  readonly #folder: string;
  #child: ChildProcess | undefined;

  private constructor(port: number, folder: string) {
    this.url = `http://localhost:${port}`;
    this.api = new ApiClient(this.url);
    this.#folder = folder;
  }

  /** With these agents in its `agents.json`, and the offline model. */
  static async start(peers: Readonly<Record<string, Pick<Peer, "url">>> = {}): Promise<RecordPlatform> {
    const agents = Object.fromEntries(Object.entries(peers).map(([name, { url }]) => [name, { url }]));
    const folder = await testFolder({ "agents/agents.json": JSON.stringify({ agents }) });
    const platform = new RecordPlatform(await freePortRange(0), folder);
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
      },
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
