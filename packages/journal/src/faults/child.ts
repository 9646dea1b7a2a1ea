import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A program of this folder in a process of its own, told what to do by one JSON argument. */
export class Child {
  readonly process: ChildProcess;
  /** Everything it has printed so far, line by line; a torn last line is not among them. */
  readonly lines: string[] = [];
  readonly ended: Promise<number | null>;
  errors = "";
  readonly #changed = new EventTarget();
  /** Whether all that it printed has come, and no more can. */
  #isSilent = false;

  /** `around` is a command line that starts the program, `strace …` for one. */
  constructor(program: string, task: unknown, around: readonly string[] = []) {
    const path = fileURLToPath(new URL(program, import.meta.url));
    const [command = process.execPath, ...rest] = [...around, process.execPath, path, JSON.stringify(task)];
    const child = spawn(command, rest, { stdio: ["ignore", "pipe", "pipe"] });
    this.process = child;
    this.ended = once(child, "close").then(([code]) => code);
    void this.ended.then(() => {
      this.#isSilent = true;
      this.#changed.dispatchEvent(new Event("change"));
    });
    child.stderr.on("data", (data) => {
      this.errors += data;
    });
    createInterface(child.stdout).on("line", (line) => {
      this.lines.push(line);
      this.#changed.dispatchEvent(new Event("change"));
    });
  }

  /** Resolves when so many lines have come; throws if it ends before that. */
  async printed(count: number): Promise<void> {
    while (this.lines.length < count) {
      if (this.#isSilent) throw new Error(`ended after ${this.lines.length} lines: ${this.errors}`);
      await new Promise((resolve) => this.#changed.addEventListener("change", resolve, { once: true }));
    }
  }

  /** Ends it without any chance to clean up. */
  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.ended;
  }
}
