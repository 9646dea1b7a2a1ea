import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";

/** The program. */
export const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));

/** How a command line of parley ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** What a command line is run with. */
export interface Surroundings {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly folder?: string;
}

/** For tests: one parley command in its own process. */
export class ParleyProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  out = "";
  err = "";

  constructor(
    args: readonly string[],
    { environment = {}, input = "", folder = import.meta.dirname }: Surroundings = {},
  ) {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN, ...args], {
      env: { ...bareEnvironment(), NO_COLOR: "1", ...environment },
      cwd: folder,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child = child;
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.stdout.on("data", (data) => {
      this.out += data;
    });
    child.stderr.on("data", (data) => {
      this.err += data;
    });
    this.ended = once(child, "close").then(([code]) => ({ code, out: this.out, err: this.err }));
  }

  /** Resolves when standard output contains this; throws if the process exits before. */
  async said(words: RegExp): Promise<string> {
    for (;;) {
      const [found] = words.exec(this.out) ?? [];
      if (found !== undefined) return found;
      if (this.child.exitCode !== null) throw new Error(`It ended: ${this.err}${this.out}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** For tests: runs a command line of parley to its end. */
export function parley(args: readonly string[], surroundings?: Surroundings): Promise<Ended> {
  return new ParleyProcess(args, surroundings).ended;
}
