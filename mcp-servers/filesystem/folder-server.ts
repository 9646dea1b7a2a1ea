import { type ChildProcess, spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The fields of an MCP message that are used here. */
export interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly _meta?: Readonly<Record<string, unknown>> };
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text?: string }[] };
  readonly error?: { readonly code: number; readonly message: string };
}

const PROGRAM = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"));
const OUTSIDE = "Access denied: that path is outside the folder";

/** The public server for files, from our own packages, at one folder: it can be stopped in mid-work, and names no path above its folder. */
export class FolderServer {
  readonly #child: ChildProcess;
  readonly #roots: readonly string[];
  readonly #pending = new Map<string | number, (answer: Message) => void>();
  readonly #ended: Promise<number>;

  /** `onNews` gets messages that are not answers. */
  constructor(folder: string, onNews: (message: Message) => void) {
    const real = realpathSync(folder);
    this.#roots = [...new Set([real, folder])].filter((root) => root !== ".");
    this.#child = spawn(process.execPath, ["--max-old-space-size=256", PROGRAM, real], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    // A write to a program that has just ended is reported by its end.
    this.#child.stdin?.on("error", () => {});
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      const message = JSON.parse(line) as Message;
      const answer = message.id === undefined ? undefined : this.#pending.get(message.id);
      if (message.id !== undefined) this.#pending.delete(message.id);
      (answer ?? onNews)(answer ? this.#withoutPaths(message) : message);
    });
    this.#ended = new Promise((resolve) => this.#child.once("exit", (code) => resolve(code ?? 1)));
    process.once("exit", () => this.stop());
  }

  /** Resolves with its exit code. */
  get ended(): Promise<number> {
    return this.#ended;
  }

  get isIdle(): boolean {
    return this.#pending.size === 0;
  }

  /** Sends a message that has no answer. */
  tell(message: Message): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves with the answer; undefined if the server ended before. */
  async ask(message: Message & { readonly id: string | number }): Promise<Message | undefined> {
    const answer = new Promise<Message>((resolve) => this.#pending.set(message.id, resolve));
    this.tell(message);
    return Promise.race([answer, this.#ended.then(() => undefined)]);
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }

  #withoutPaths(message: Message): Message {
    const { result } = message;
    if (result?.isError && result.content?.[0]?.text?.includes("Access denied"))
      return { ...message, result: { isError: true, content: [{ type: "text", text: OUTSIDE } as object] } };
    const text = this.#roots.reduce((left, root) => {
      const shown = JSON.stringify(root).slice(1, -1);
      return left.replaceAll(`${shown}/`, "").replaceAll(shown, ".");
    }, JSON.stringify(message));
    return JSON.parse(text) as Message;
  }
}
