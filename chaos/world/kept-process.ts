import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readFileSync, type WriteStream } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const AGAIN_MS = 500;
const FULL_DISK = /no space (?:is )?left|disk is full|DiskFullError/i;
const RUNNING = new Set<ChildProcess>();

// They end with this process, however it ends.
process.on("exit", () => {
  for (const child of RUNNING) child.kill("SIGKILL");
});

/** The command, built for each start. */
export interface Program {
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
}

export interface KeptProcessOptions {
  readonly name: string;
  /** Where its output goes. */
  readonly log: string;
  /** What to start for its n-th life. */
  readonly program: (life: number) => Program;
  /** What it prints when it is up. */
  readonly isUp: RegExp;
}

/** An unexpected exit of a running process. */
export interface UnaskedEnd {
  readonly at: number;
  readonly life: number;
  readonly how: string;
  readonly lastWords: string;
}

/** A process that is restarted whenever it exits, as by a supervisor daemon, until it is stopped. */
export class KeptProcess {
  readonly name: string;
  readonly unaskedEnds: UnaskedEnd[] = [];
  life = 0;
  /** How often it has reported a full disk. */
  fullDisks = 0;
  readonly #options: KeptProcessOptions;
  readonly #log: WriteStream;
  #child: ChildProcess | undefined;
  #wanted = true;
  #up = false;
  #tail = "";

  constructor(options: KeptProcessOptions) {
    this.name = options.name;
    this.#options = options;
    this.#log = createWriteStream(options.log);
  }

  get pid(): number | undefined {
    return this.#child?.exitCode === null ? this.#child.pid : undefined;
  }

  get isUp(): boolean {
    return this.#up;
  }

  /** Starts it and retries until it is up. */
  async start(): Promise<void> {
    this.#wanted = true;
    for (;;) {
      this.#launch();
      await this.#settled();
      if (this.#up || !this.#wanted) return;
      await sleep(AGAIN_MS);
    }
  }

  /** Kills it without any cleanup, like a power failure. It stays down until it is started. */
  async kill(): Promise<void> {
    this.#wanted = false;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }

  /** Whether the kernel has stopped it. */
  get isStopped(): boolean {
    try {
      return /^State:\s+[Tt]/m.test(readFileSync(`/proc/${this.pid}/status`, "utf8"));
    } catch {
      return false; // It is gone.
    }
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#child?.kill(signal);
  }

  #launch(): void {
    const life = ++this.life;
    const { args, environment, folder } = this.#options.program(life);
    this.#log.write(`--- life ${life}, ${new Date().toISOString()}\n`);
    const child = spawn(process.execPath, [...args], {
      env: environment,
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    RUNNING.add(child);
    this.#up = false;
    this.#tail = "";
    let printed = "";
    child.stdout.on("data", (text: Buffer) => {
      if (this.#up) return;
      printed += text;
      this.#up = this.#options.isUp.test(printed);
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text: Buffer) => {
        this.#log.write(text);
        if (FULL_DISK.test(String(text))) this.fullDisks++;
        this.#tail = (this.#tail + text).slice(-2_000);
      });
    child.on("exit", () => RUNNING.delete(child));
    child.on("exit", (code, signal) => void this.#ended(life, signal ?? `exit code ${code}`));
  }

  async #settled(): Promise<void> {
    const child = this.#child;
    while (child && !this.#up && child.exitCode === null && child.signalCode === null) await sleep(20);
  }

  async #ended(life: number, how: string): Promise<void> {
    const wasUp = this.#up;
    this.#up = false;
    if (!this.#wanted || !wasUp) return;
    this.unaskedEnds.push({ at: Date.now(), life, how, lastWords: this.#tail });
    await sleep(AGAIN_MS);
    if (this.#wanted) await this.start();
  }
}
