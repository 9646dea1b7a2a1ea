import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A program of this folder in a process of its own, told what to do by one JSON argument, and ended with the test. */
export class ChildProgram {
  /** What it has printed so far. */
  readonly lines: string[] = [];
  readonly #process: ChildProcess;
  /** Resolves when it is no more. */
  readonly ended: Promise<unknown>;
  readonly #changed = new EventTarget();
  /** Whether all that it printed has come, and no more can. */
  #isSilent = false;
  #errors = "";

  constructor(program: string, task: unknown, environment: NodeJS.ProcessEnv = {}) {
    const path = fileURLToPath(new URL(program, import.meta.url));
    const child = spawn(process.execPath, [path, JSON.stringify(task)], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = child;
    this.ended = once(child, "exit");
    const changed = () => void this.#changed.dispatchEvent(new Event("change"));
    // Not at its exit: what it printed last may still be on its way then.
    child.once("close", () => {
      this.#isSilent = true;
      changed();
    });
    child.stderr.on("data", (data) => {
      this.#errors += data;
    });
    createInterface(child.stdout).on("line", (line) => {
      this.lines.push(line);
      changed();
    });
    onTestFinished(() => this.kill());
  }

  /** Resolves when a line has come that is so; throws if it ends before that. */
  async printed(isSo: (line: string) => boolean): Promise<void> {
    while (!this.lines.some(isSo)) {
      if (this.#isSilent) throw new Error(`It ended: ${this.#errors}`);
      await once(this.#changed, "change");
    }
  }

  /** Ends it without any chance to clean up. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.ended;
  }
}
