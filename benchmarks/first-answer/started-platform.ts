import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const ROOT = join(import.meta.dirname, "../..");
const LOOK_EVERY_MS = 10;
const PATIENCE_MS = 120_000;

/** The platform as `npm start` starts it, with the offline model and a data folder of its own. */
export class StartedPlatform {
  readonly #url: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(port: number, dataFolder: string) {
    this.#url = `http://localhost:${port}`;
    // npm tells its scripts which npm runs them.
    const npm = process.env.npm_execpath;
    const [command = "npm", ...args] = npm ? [process.execPath, npm, "start"] : ["npm", "start"];
    this.#child = spawn(command, args, {
      cwd: ROOT,
      env: {
        ...process.env,
        ...{ PORT: String(port), PARLEY_DATA: dataFolder, PARLEY_MODEL: "offline", PARLEY_LOG: "warn" },
      },
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.#ended = once(this.#child, "close");
  }

  /** Resolves when the platform and its agents report ready. */
  async ready(): Promise<void> {
    await this.#until(async () => {
      const response = await fetch(`${this.#url}/readyz`).catch(() => undefined);
      await response?.arrayBuffer();
      return response?.status === 200 ? true : undefined;
    });
  }

  /** The supervisor's answer in a new session. */
  async answerTo(question: string): Promise<string> {
    const { session } = await this.#call<{ session: { id: string } }>("POST", "/sessions", {});
    await this.#call("POST", `/sessions/${session.id}/messages`, { content: question });
    return this.#until(async () => {
      const { messages } = await this.#call<{ messages: { role: string; content: string }[] }>(
        "GET",
        `/sessions/${session.id}`,
      );
      return messages.find(({ role }) => role === "assistant")?.content;
    });
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#ended;
  }

  async #until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
    const late = performance.now() + PATIENCE_MS;
    while (performance.now() < late) {
      const found = await look();
      if (found !== undefined) return found;
      if (this.#child.exitCode !== null) throw new Error("The platform ended before it answered");
      await sleep(LOOK_EVERY_MS);
    }
    throw new Error(`Nothing came within ${PATIENCE_MS / 1_000} s`);
  }

  async #call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(`${this.#url}/api/v1${path}`, {
      method,
      ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}`);
    return (await response.json()) as Body;
  }
}
