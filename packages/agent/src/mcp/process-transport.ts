import { once } from "node:events";
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { LineReader } from "./line-reader.ts";
import { ProcessGroup } from "./process-group.ts";
import type { StdioServerConfiguration } from "./server-configuration.ts";

/** The largest message that is taken in; a server that sends a larger one is ended. */
const MAX_MESSAGE_BYTES = 64 * 1_024 * 1_024;
const MAX_LOG_LINE_BYTES = 16_384;
/** So many lines in place of a first message may be a greeting or a stray log; one more, and it is no MCP server. */
const MAX_GREETING_LINES = 10;
const MAX_SHOWN = 200;

/** What a process writes besides protocol messages. */
export interface ProcessTransportEvents {
  readonly onLogLine: (line: string) => void;
  /** A line of its standard output that is not a message. */
  readonly onNoise: (line: string) => void;
}

/** MCP over the standard input and output of a program, which ends with all that it started. */
export class ProcessTransport implements Transport {
  readonly #configuration: StdioServerConfiguration;
  readonly #events: ProcessTransportEvents;
  #group: ProcessGroup | undefined;
  #closing: Promise<void> | undefined;
  #draining: Promise<void> | undefined;
  #lastLogLine = "";
  #noise = "";
  #noisyLines = 0;
  #hasSpoken = false;
  #ending: string | undefined;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(configuration: StdioServerConfiguration, events: ProcessTransportEvents) {
    this.#configuration = configuration;
    this.#events = events;
  }

  /** How the program exited, or its output in place of an answer; undefined while it works. */
  get trouble(): string | undefined {
    const noise = this.#noise && `its standard output is not MCP, but begins with: ${shown(this.#noise)}`;
    const last = this.#lastLogLine && `its last words were: ${shown(this.#lastLogLine)}`;
    const ending = this.#ending && [this.#ending, last].filter(Boolean).join("; ");
    return [ending, noise].filter(Boolean).join("; ") || undefined;
  }

  async start(): Promise<void> {
    const group = await ProcessGroup.start(this.#configuration);
    this.#group = group;
    this.#readMessages(group);
    this.#readLog(group);
    void group.ended.then(async (how) => {
      await group.drained();
      this.#end(how);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const group = this.#group;
    if (!group || this.#ending !== undefined) throw new Error("The program has ended.");
    if (group.child.stdin.write(serializeMessage(message))) return;
    // A program that no longer reads is about to exit: its exit explains why, the broken pipe does not.
    this.#draining ??= Promise.race([
      once(group.child.stdin, "drain").catch(() => group.ended),
      group.ended,
    ]).then(() => {
      this.#draining = undefined;
    });
    await this.#draining;
  }

  close(): Promise<void> {
    this.#closing ??= this.#group?.stop() ?? Promise.resolve();
    return this.#closing;
  }

  #readMessages({ child }: ProcessGroup): void {
    const reader = new LineReader(MAX_MESSAGE_BYTES);
    child.stdout.on("data", (chunk: Buffer) => {
      try {
        for (const line of reader.push(chunk)) this.#take(line);
      } catch (error) {
        child.stdout.destroy();
        this.#end((error as Error).message);
      }
    });
  }

  #take(line: string): void {
    if (line.trim() === "") return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      this.#events.onNoise(shown(line));
      if (!this.#hasSpoken) this.#doubt(line);
      return;
    }
    this.#hasSpoken = true;
    this.#noise = "";
    this.onmessage?.(message);
  }

  // A program that does not speak MCP would only keep callers waiting.
  #doubt(line: string): void {
    this.#noise ||= line;
    this.#noisyLines += 1;
    if (this.#noisyLines > MAX_GREETING_LINES) this.#end("it was ended");
  }

  #readLog({ child }: ProcessGroup): void {
    let reader = new LineReader(MAX_LOG_LINE_BYTES);
    child.stderr.on("data", (chunk: Buffer) => {
      try {
        for (const line of reader.push(chunk)) this.#log(line);
      } catch {
        // One line without an end is no reason to hold more of it, nor to end the server.
        reader = new LineReader(MAX_LOG_LINE_BYTES);
        this.#log(chunk.toString("utf8", 0, MAX_SHOWN));
      }
    });
    child.stderr.once("end", () => this.#log(reader.rest()));
  }

  #log(line: string): void {
    if (line.trim() === "") return;
    this.#lastLogLine = line;
    this.#events.onLogLine(line);
  }

  #end(how: string): void {
    if (this.#ending !== undefined) return;
    this.#ending = how;
    // What the program started must not outlive it.
    void this.close().then(() => this.onclose?.());
  }
}

function shown(line: string): string {
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}
