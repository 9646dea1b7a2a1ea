import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePortRange } from "@parley/testing/free-ports.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const AGENTS = 6;

/** Parley as `npm start` starts it, on the offline model, with nothing in it yet. */
export class Platform {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #data: string;

  private constructor(url: string, child: ChildProcess, data: string) {
    this.url = url;
    this.#child = child;
    this.#data = data;
  }

  static async start(): Promise<Platform> {
    const port = await freePortRange(AGENTS);
    const data = await mkdtemp(join(tmpdir(), "parley-screenshots-"));
    const child = spawn(process.execPath, [join(ROOT, "packages/server/src/main.ts")], {
      cwd: ROOT,
      env: {
        ...{ PATH: process.env.PATH, PORT: String(port), PARLEY_DATA: data },
        ...{ PARLEY_MODEL: "offline", PARLEY_LOG: "warn" },
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    for await (const text of child.stdout) {
      printed += text;
      if (/^ {2}model/m.test(printed)) return new Platform(`http://localhost:${port}`, child, data);
    }
    throw new Error(`Parley ended: ${printed}`);
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
    await rm(this.#data, { recursive: true, force: true });
  }
}
