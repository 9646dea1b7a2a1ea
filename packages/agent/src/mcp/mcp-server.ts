import type { CallToolResult, FetchLike, Tool } from "@modelcontextprotocol/client";
import { Backoff, type BackoffPolicy } from "@parley/journal";
import { McpConnection, type ToolCallOptions } from "./mcp-connection.ts";
import { failureReason, ToolUnavailableError } from "./mcp-errors.ts";
import { type Redactor, redactorFor } from "./redactor.ts";
import type { McpServerConfiguration } from "./server-configuration.ts";
import { type McpObserver, type ServerState, unavailability } from "./server-state.ts";

/** Passes a number of lines per period, then reports how many it dropped. */
export class LineBudget {
  readonly #lines: number;
  readonly #periodMs: number;
  #periodStart = Number.NEGATIVE_INFINITY;
  #passed = 0;

  constructor(lines: number, periodMs: number) {
    this.#lines = lines;
    this.#periodMs = periodMs;
  }

  /** What to show in place of this line at this time: the line, a note, or nothing. */
  show(line: string, now = performance.now()): string | undefined {
    let note = "";
    if (now - this.#periodStart >= this.#periodMs) {
      const held = this.#passed - this.#lines;
      if (held > 0) note = `[${held} lines were left out] `;
      this.#periodStart = now;
      this.#passed = 0;
    }
    this.#passed += 1;
    return this.#passed <= this.#lines ? note + line : undefined;
  }
}

export interface ServerOptions {
  /** For servers over HTTP: the guarded one. */
  readonly fetch: FetchLike;
  readonly observer: McpObserver;
  /** The most time from the start to the list of tools. */
  readonly startTimeoutMs: number;
  readonly restarts: BackoffPolicy;
}

const LOG_LINES = 200;
const LOG_PERIOD_MS = 60_000;
/** A server that was ready for so long is taken to be healthy: its next pause is the first again. */
const HEALTHY_AFTER_MS = 30_000;

/** One configured server: kept running, and its failures reported. */
export class McpServer {
  readonly name: string;
  readonly configuration: McpServerConfiguration;
  readonly #options: ServerOptions;
  readonly #redact: Redactor;
  readonly #stopping = new AbortController();
  readonly #backoff: Backoff;
  readonly #logBudget = new LineBudget(LOG_LINES, LOG_PERIOD_MS);
  #state: ServerState = { phase: "starting" };
  #connection: McpConnection | undefined;
  /** What is being started or ended; a stop waits for it. */
  #work: Promise<void> | undefined;
  #tools: readonly Tool[] = [];
  #readySince = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(name: string, configuration: McpServerConfiguration, options: ServerOptions) {
    this.name = name;
    this.configuration = configuration;
    this.#options = options;
    this.#backoff = new Backoff(options.restarts);
    this.#redact = redactorFor(configuration.transport === "invalid" ? {} : configuration);
  }

  get state(): ServerState {
    return this.#state;
  }

  /** The tools that it offers, or offered when it was last ready. */
  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /** Resolves when the server is ready or down; never throws. */
  async start(): Promise<void> {
    this.#enter({ phase: "starting" });
    await this.#connect();
  }

  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: ToolCallOptions,
  ): Promise<CallToolResult> {
    const reason = unavailability(this.#state);
    if (reason !== undefined || !this.#connection) {
      throw new ToolUnavailableError(tool, this.name, reason ?? "it has no connection");
    }
    return this.#connection.call(tool, args, options);
  }

  /** Ends it for good; calls that are under way fail. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#retry);
    this.#enter({ phase: "stopped" });
    await this.#connection?.close();
    await this.#work;
  }

  #connect(): Promise<void> {
    this.#work = this.#tryToConnect();
    return this.#work;
  }

  async #tryToConnect(): Promise<void> {
    const connection: McpConnection = new McpConnection(this.configuration, this.#options.fetch, {
      redact: this.#redact,
      onTools: (tools) => this.#offer(tools),
      onLost: (reason) => void this.#lost(connection, reason),
      onLogLine: (line) => this.#log("log", line),
      onNoise: (line) => this.#log("noise", line),
    });
    try {
      const tools = await connection.open(this.#options.startTimeoutMs, this.#stopping.signal);
      if (this.#stopping.signal.aborted) return await connection.close();
      this.#connection = connection;
      this.#readySince = performance.now();
      this.#offer(tools);
      this.#enter({ phase: "ready" });
      // It may have been lost before it was assigned.
      if (connection.lost !== undefined) await this.#lost(connection, connection.lost);
    } catch (error) {
      this.#down(failureReason(error));
    }
  }

  async #lost(connection: McpConnection, reason: string): Promise<void> {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    if (performance.now() - this.#readySince >= HEALTHY_AFTER_MS) this.#backoff.reset();
    this.#down(reason);
    this.#work = connection.close();
    await this.#work;
  }

  #down(reason: string): void {
    if (this.#stopping.signal.aborted) return;
    const retryInMs = this.configuration.transport === "invalid" ? undefined : this.#backoff.next();
    this.#enter({ phase: "down", reason, retryInMs });
    if (retryInMs === undefined) return;
    this.#retry = setTimeout(() => {
      this.#enter({ phase: "restarting", reason });
      void this.#connect();
    }, retryInMs).unref();
  }

  #offer(tools: readonly Tool[]): void {
    this.#tools = tools;
    this.#options.observer({ type: "tools", server: this.name, tools: tools.map((tool) => tool.name) });
  }

  #log(type: "log" | "noise", line: string): void {
    const shown = this.#logBudget.show(this.#redact(line));
    if (shown !== undefined) this.#options.observer({ type, server: this.name, line: shown });
  }

  #enter(state: ServerState): void {
    if (this.#state.phase === "stopped") return;
    this.#state = state;
    this.#options.observer({ type: "state", server: this.name, state });
  }
}
