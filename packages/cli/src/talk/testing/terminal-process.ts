import { type IPty, spawn } from "@lydell/node-pty";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";
import xterm from "@xterm/headless";
import { onTestFinished } from "vitest";

const SIZE = { cols: 100, rows: 40 };
const TIMEOUT_MS = 90_000;

/** For tests: a program in a real pseudo-terminal, whose screen is read as a person reads it. */
export class TerminalProcess {
  readonly #pty: IPty;
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  readonly #watchers = new Set<() => void>();
  /** Resolves with the exit code, when all that was written is on the screen. */
  readonly ended: Promise<number>;
  /** What the program wrote, as it wrote it, and what it made of the window's title. */
  raw = "";
  title = "";

  constructor([program = "", ...args]: readonly string[], environment: Readonly<Record<string, string>>) {
    const { PATH = "", NODE_COMPILE_CACHE } = bareEnvironment();
    const terminal = { TERM: "xterm-256color", LANG: "C.UTF-8" };
    const env = { PATH, NODE_COMPILE_CACHE, ...terminal, ...environment };
    this.#pty = spawn(program, args, { ...SIZE, env, name: env.TERM });
    this.#terminal = new xterm.Terminal({ ...SIZE, scrollback: 5_000, allowProposedApi: true });
    this.#terminal.onTitleChange((title) => {
      this.title = title;
    });
    this.#pty.onData((data) => {
      this.raw += data;
      this.#terminal.write(data, () => this.#look());
    });
    this.ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => this.#terminal.write("", () => resolve(exitCode)));
    });
    onTestFinished(() => {
      try {
        this.#pty.kill("SIGKILL");
      } catch {
        // It has ended by itself, as it should.
      }
    });
  }

  /** All that can be read, what has scrolled away included. */
  get text(): string {
    const { active } = this.#terminal.buffer;
    return this.#rows(0, active.length);
  }

  /** What is on the screen now. */
  get screen(): string {
    const { active } = this.#terminal.buffer;
    return this.#rows(active.baseY, active.baseY + this.#terminal.rows);
  }

  write(keys: string): void {
    this.#pty.write(keys);
  }

  resize(cols: number, rows: number): void {
    this.#terminal.resize(cols, rows);
    this.#pty.resize(cols, rows);
  }

  /** Resolves with all the text, when this is in it. */
  async see(wanted: string | RegExp): Promise<string> {
    return this.until(
      () => (typeof wanted === "string" ? this.text.includes(wanted) : wanted.test(this.text)),
      String(wanted),
    );
  }

  /** Resolves when the screen is as wanted. */
  async until(isSo: () => boolean, what = isSo.toString()): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const look = () => isSo() && resolve(this.text);
    const timer = setTimeout(() => reject(new Error(`Not seen: ${what}\n${this.text}`)), TIMEOUT_MS);
    this.#watchers.add(look);
    look();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#watchers.delete(look);
    });
  }

  #look(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  #rows(from: number, to: number): string {
    const { active } = this.#terminal.buffer;
    const rows = Array.from({ length: to - from }, (_, at) => {
      const line = active.getLine(from + at);
      return `${line?.isWrapped ? "" : "\n"}${line?.translateToString(true) ?? ""}`;
    });
    return rows.join("").slice(1).trimEnd();
  }
}
