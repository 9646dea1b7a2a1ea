import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";
import { expect, onTestFinished } from "vitest";

/** The command line. */
export const CLI = resolve(import.meta.dirname, "../../../packages/cli/src/main.ts");

/** `parley mcp stdio`, driven by raw lines. */
export class McpProgram {
  readonly #child;
  /** Its raw output. */
  output = "";
  errors = "";

  /** Starts it for the Parley at this address; it ends with the test. */
  constructor(server: string, environment: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(process.execPath, [CLI, "mcp", "stdio"], {
      env: { ...bareEnvironment(), PARLEY_URL: server, ...environment },
      stdio: "pipe",
    });
    this.#child.stdout.setEncoding("utf8").on("data", (text) => (this.output += text));
    this.#child.stderr.setEncoding("utf8").on("data", (text) => (this.errors += text));
    onTestFinished(() => void this.#child.kill("SIGKILL"));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Writes to its standard input as it is. */
  write(text: string | Uint8Array): void {
    this.#child.stdin.write(text);
  }

  send(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Initializes an MCP session. */
  async greet(): Promise<void> {
    const clientInfo = { name: "raw", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo };
    this.send({ id: "greeting", method: "initialize", params });
    await this.answer("greeting");
    this.send({ method: "notifications/initialized" });
  }

  /** Its messages so far, one per line. */
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect
  get messages(): any[] {
    return this.output
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  /** Its response to a request. */
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect
  async answer(id: string | number, timeout = 60_000): Promise<any> {
    const found = () => this.messages.find((message) => message.id === id && !("method" in message));
    await expect.poll(() => found() !== undefined, { timeout }).toBe(true);
    return found();
  }

  /** Closes its standard input; returns its exit code. */
  async end(): Promise<number | null> {
    const gone = once(this.#child, "close");
    this.#child.stdin.end();
    const [code] = await gone;
    return code;
  }
}
