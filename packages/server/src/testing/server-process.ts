import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";
import { freePort } from "@parley/testing/free-ports.ts";
import { SERVER_PROGRAM } from "@parley/testing/server-program.ts";
import { expect, onTestFinished } from "vitest";

export interface ServerProcessOptions {
  /** The script and its arguments; the platform when left out. */
  readonly program?: readonly string[];
  /** When it is killed: at the end of the test, or with `afterAll` of all. */
  readonly cleanUp?: (work: () => void) => void;
}

/** For tests: the server in a process of its own, on a free port. */
export class ServerProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  output = "";
  errors = "";

  /** `around` is a command line that starts it. */
  constructor(
    environment: Record<string, string>,
    around: readonly string[] = [],
    { program = [SERVER_PROGRAM], cleanUp = onTestFinished }: ServerProcessOptions = {},
  ) {
    const [command = process.execPath, ...rest] = [...around, process.execPath, ...program];
    const child = spawn(command, rest, {
      // Without agents, unless a test is about them: each would start its tools.
      env: { ...bareEnvironment(), PORT: "0", PARLEY_AGENTS: import.meta.dirname, ...environment },
      // Where there is no `.env`: it is not a test's.
      cwd: import.meta.dirname,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    this.ended = once(child, "close").then(([code]) => code);
    child.stdout.on("data", (data) => {
      this.output += data;
    });
    child.stderr.on("data", (data) => {
      this.errors += data;
    });
    cleanUp(() => void child.kill("SIGKILL"));
  }

  /** The URL it serves at, once it has printed it. */
  url(): Promise<string> {
    return this.#said(/http:\/\/localhost:\d+/);
  }

  /** The URL of an agent of this name, once all agents have started. */
  async agentUrl(name: string): Promise<string> {
    await this.#said(/^ {2}model/m);
    // Those that are well stand on one line, by their ports; one that is alone or not well has its own, by its address.
    const place = new RegExp(`(?:^. |· )${name} +(?:.*?http://localhost)?:(\\d+)`, "m").exec(
      this.output,
    )?.[1];
    return place === undefined ? "" : `http://localhost:${place}`;
  }

  /** Asks it to end, and resolves with its exit code and how long it took. */
  async end(signal: NodeJS.Signals = "SIGINT"): Promise<{ code: number | null; milliseconds: number }> {
    const start = performance.now();
    this.child.kill(signal);
    return { code: await this.ended, milliseconds: performance.now() - start };
  }

  async #said(words: RegExp): Promise<string> {
    for (;;) {
      const found = words.exec(this.output)?.[0];
      if (found) return found;
      if (this.child.exitCode !== null) throw new Error(`The server ended: ${this.errors}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Its message when it refused to start: one sentence, no stack, exit code 1. */
export async function refusal(server: ServerProcess): Promise<string> {
  expect(await server.ended).toBe(1);
  expect(server.output).toBe("");
  expect(server.errors.trimEnd().split("\n")).toHaveLength(1);
  return server.errors;
}

/** Takes a free port until the test ends. */
export async function takenPort(): Promise<number> {
  return (await portTaker()).port;
}

/** Occupies a free port until it is released or the test ends. */
export async function portTaker(): Promise<{ readonly port: number; giveBack(): void }> {
  const port = await freePort();
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { port, giveBack: () => void server.close() };
}
