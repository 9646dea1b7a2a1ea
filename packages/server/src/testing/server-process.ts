import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

/** For tests: the server in a process of its own, on a free port. */
export class ServerProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  output = "";
  errors = "";

  /** `around` is a command line that starts it. It is killed when the test ends. */
  constructor(environment: Record<string, string>, around: readonly string[] = []) {
    const [command = process.execPath, ...rest] = [...around, process.execPath, MAIN];
    const child = spawn(command, rest, {
      // Without agents, unless a test is about them: each would start its tools.
      env: { PATH: process.env.PATH, PORT: "0", PARLEY_AGENTS: import.meta.dirname, ...environment },
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
    onTestFinished(() => void child.kill("SIGKILL"));
  }

  /** The URL it serves at, once it says so. */
  async url(): Promise<string> {
    for (;;) {
      const url = /http:\/\/localhost:\d+/.exec(this.output)?.[0];
      if (url) return url;
      if (this.child.exitCode !== null) throw new Error(`The server ended: ${this.errors}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Takes a free port until the test ends. */
export async function takenPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}
