import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ServerStartError } from "./mcp-errors.ts";
import type { StdioServerConfiguration } from "./server-configuration.ts";

const ASK_FOR_MS = 300;
const TERMINATE_FOR_MS = 500;
const DRAIN_FOR_MS = 100;

/** A program and everything that it starts, so that all of it can be ended. */
export class ProcessGroup {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when the program itself has ended, with how it ended. */
  readonly ended: Promise<string>;
  readonly #closed: Promise<void>;

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    // Not "close": a grandchild that holds the pipes open would keep it from coming.
    this.ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        resolve(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`);
      });
    });
    this.#closed = new Promise((resolve) => child.once("close", () => resolve()));
  }

  /** Starts the program without a shell, as the leader of its own process group; throws `ServerStartError`. */
  static async start(configuration: StdioServerConfiguration): Promise<ProcessGroup> {
    const { command, args, env, cwd } = configuration;
    if (!existsSync(cwd))
      throw new ServerStartError(`the folder ${cwd}, in which it is to run, does not exist`);
    const child = spawn(command === "node" ? process.execPath : command, args, {
      cwd,
      env: childEnvironment(env),
      detached: process.platform !== "win32",
      shell: false,
      windowsHide: true,
    });
    // A write to an ended program is reported by its end.
    child.stdin.on("error", () => {});
    const group = new ProcessGroup(child);
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(startError(command, error)));
    });
    child.on("error", () => {});
    return group;
  }

  /** Ends the program and what it started within a second: closes its input, then SIGTERM, then SIGKILL. */
  async stop(): Promise<void> {
    this.child.stdin.end();
    if (!(await within(ASK_FOR_MS, this.ended))) {
      this.#signal("SIGTERM");
      await within(TERMINATE_FOR_MS, this.ended);
    }
    // Also after a quiet end: what the program started must not outlive it.
    this.#signal("SIGKILL");
    this.child.stdout.destroy();
    this.child.stderr.destroy();
  }

  /** Waits a moment for what an ended program left in its pipes: its last words tell why it ended. */
  async drained(): Promise<void> {
    await within(DRAIN_FOR_MS, this.#closed);
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    try {
      if (process.platform === "win32") this.child.kill(signal);
      else process.kill(-pid, signal);
    } catch (error) {
      // No such process: the whole group has ended.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

function within(milliseconds: number, event: Promise<unknown>): Promise<boolean> {
  return Promise.race([event.then(() => true), sleep(milliseconds, false, { ref: false })]);
}

function startError(command: string, error: NodeJS.ErrnoException): ServerStartError {
  switch (error.code) {
    case "ENOENT":
      return new ServerStartError(`the command ${command} was not found: install it, or give its whole path`);
    case "EACCES":
      return new ServerStartError(`the command ${command} may not be executed`);
    default:
      return new ServerStartError(`the command ${command} could not be started (${error.code})`, {
        cause: error,
      });
  }
}

const inherited =
  process.platform === "win32"
    ? ["PATH", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "TEMP", "USERPROFILE", "APPDATA", "COMSPEC", "WINDIR"]
    : ["PATH", "HOME", "LANG"];

/** The environment of a program that we start: what it cannot do without or starts slower, and what its configuration names. */
function childEnvironment(named: Readonly<Record<string, string>>): Record<string, string> {
  const own = [...inherited, "NODE_COMPILE_CACHE"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(own), ...named };
}
