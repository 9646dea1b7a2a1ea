import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/** A program in its own process, configured by one JSON argument, and ended with the test. */
export class ChildProgram {
  /** What it has printed so far. */
  readonly lines: string[] = [];
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #changed = new EventTarget();
  /** Whether all that it printed has come, and no more can. */
  #isSilent = false;
  #errors = "";

  constructor(program: URL, task: unknown, environment: NodeJS.ProcessEnv = {}) {
    const child = spawn(process.execPath, [program.pathname, JSON.stringify(task)], {
      env: { ...process.env, ...environment },
      stdio: "pipe",
    });
    this.#process = child;
    child.stdin.on("error", () => {}); // Its exit reports the end.
    this.#ended = once(child, "exit");
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

  /** Writes a line to it. */
  tell(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  /** Resolves when so many lines have come; throws if it ends before that. */
  async printed(count: number): Promise<void> {
    while (this.lines.length < count) {
      if (this.#isSilent) throw new Error(`It ended: ${this.#errors}`);
      await once(this.#changed, "change");
    }
  }

  /** Ends it without any chance to clean up. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#ended;
  }
}
