import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type AgentDefinition, ProcessGroup } from "@parley/agent";
import { Backoff, NO_JITTER } from "@parley/journal";
import { z } from "zod";
import { closeServer, listen } from "../http/listen.ts";
import type { AgentServerOptions, AgentStatus } from "./agent-server.ts";

const RESTARTS = { firstDelayMs: 2_000, maxDelayMs: 30_000, jitter: NO_JITTER };
const START_TIMEOUT_MS = 15_000;
const POLL_MS = 50;
const MAX_LINE_LENGTH = 200;
/** Agents listen on loopback, wherever the main port is. */
const HOST = "127.0.0.1";
const OPEN =
  'accepts calls of anybody on this machine; let it require "Authorization: Bearer" with the key in PARLEY_KEY';

type Options = Pick<AgentServerOptions, "platform" | "ports" | "changed" | "keyOf">;

/** An agent that is a program: started on its port, and restarted whenever it ends. */
export class ProgramAgent {
  readonly #options: Options;
  readonly #definition: AgentDefinition;
  #group: ProcessGroup | undefined;
  #url: string | undefined;
  #error: string | undefined;
  #state: AgentStatus["state"] = "starting";
  #lastLine = "";
  #stopped = false;
  readonly #backoff = new Backoff(RESTARTS);
  #retry: NodeJS.Timeout | undefined;

  constructor(definition: AgentDefinition, options: Options) {
    this.#definition = definition;
    this.#options = options;
  }

  /** Resolves when it serves its card or has failed; then it is retried. */
  async start(): Promise<void> {
    try {
      await this.#begin();
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
    this.#options.changed?.();
  }

  /** Programs have to be restarted. */
  update(): boolean {
    return false;
  }

  status(): AgentStatus {
    const { name, description } = this.#definition;
    return {
      name,
      description,
      state: this.#state,
      model: "",
      mcpServers: [],
      ...(this.#url !== undefined && { url: this.#url }),
      troubles: this.#error === undefined ? [] : [this.#error],
    };
  }

  /** Other nodes cannot take its tasks. */
  async suspend(): Promise<void> {}

  /** Stops it with all processes that it started. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    await this.#group?.stop();
  }

  retire(): Promise<void> {
    return this.stop();
  }

  async #begin(): Promise<void> {
    const { program, name } = this.#definition;
    if (!program || this.#stopped) return;
    const port = await this.#freePort();
    const key = this.#options.keyOf?.(name).secret;
    // Not as an argument, which other users can read.
    const env = { PORT: String(port), HOST, ...program.env, ...(key !== undefined && { PARLEY_KEY: key }) };
    const group = await ProcessGroup.start({ ...program, env });
    this.#group = group;
    if (this.#stopped) return group.stop();
    this.#lastLine = "";
    group.child.stdout.resume();
    group.child.stderr.on("data", (chunk: Buffer) => this.#logOutput(chunk.toString()));
    const ended = group.ended.then(async (how) => {
      await group.drained();
      // Its child processes must not outlive it.
      await group.stop();
      return [how, this.#lastLine].filter(Boolean).join("; its last output was: ");
    });
    const url = `http://localhost:${port}`;
    const polling = new AbortController();
    const early = await Promise.race([ended, cardServed(url, polling.signal)]);
    polling.abort();
    if (early !== undefined) {
      await group.stop();
      throw new Error(`${name} did not start: ${early}`);
    }
    this.#url = url;
    this.#state = "up";
    this.#error = key !== undefined && (await acceptsAnybody(url)) ? `${name} ${OPEN}` : undefined;
    if (this.#error !== undefined) this.#options.platform.log.warn({ agent: name }, this.#error);
    this.#backoff.reset();
    void ended.then((how) => {
      this.#fail(`${name} has exited (${how}) and is being restarted`);
      this.#options.changed?.();
    });
  }

  /** The program's port, checked to be free: our error is clearer than the program's. */
  async #freePort(): Promise<number> {
    const { ports } = this.#options;
    const { file } = this.#definition;
    const probe = createServer();
    const advice = `set another "port:" in ${file}`;
    // Keeps its port across restarts, also if any free one was allowed.
    const port = this.#url ? Number(new URL(this.#url).port) : await ports.portOf(this.#definition);
    const bound = await listen(probe, { host: HOST, port, advice });
    await closeServer(probe);
    return bound;
  }

  #logOutput(words: string): void {
    const { platform } = this.#options;
    const line = words.trim().split("\n").at(-1)?.slice(0, MAX_LINE_LENGTH);
    if (line) this.#lastLine = line;
    platform.log.debug({ agent: this.#definition.name, line }, "output of an agent's program");
  }

  #fail(error: string): void {
    if (this.#stopped) return;
    this.#state = "failed";
    this.#error = error;
    const retryInMs = this.#backoff.next();
    const fields = { agent: this.#definition.name, error, retryInMs };
    this.#options.platform.log.error(fields, "an agent's program is not running");
    this.#retry = setTimeout(() => void this.start(), retryInMs).unref();
  }
}

/** Resolves when an agent card is served, or with the reason why not. */
async function cardServed(url: string, polling: AbortSignal): Promise<string | undefined> {
  const last = performance.now() + START_TIMEOUT_MS;
  while (!polling.aborted && performance.now() < last) {
    const isServed = await fetch(`${url}/.well-known/agent-card.json`, {
      signal: AbortSignal.any([polling, AbortSignal.timeout(1_000)]),
    }).then(
      (response) => response.body?.cancel().then(() => response.ok),
      () => false,
    );
    if (isServed) return undefined;
    await pause(POLL_MS);
  }
  return `no agent card at ${url}/.well-known/agent-card.json within ${START_TIMEOUT_MS / 1_000} s`;
}

const CHECK_TIMEOUT_MS = 5_000;
const cardSchema = z.object({
  url: z.string().optional(),
  supportedInterfaces: z.array(z.object({ url: z.string() })).optional(),
});

/** Whether the agent accepts a request without credentials, tried with a task that does not exist. */
async function acceptsAnybody(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const card = cardSchema.parse(
      await (await fetch(`${url}/.well-known/agent-card.json`, { signal })).json(),
    );
    const place = card.supportedInterfaces?.[0]?.url ?? card.url ?? url;
    const response = await fetch(place, {
      method: "POST",
      headers: { "Content-Type": "application/json", "A2A-Version": "1.0" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "nobody" } }),
      redirect: "manual",
      signal,
    });
    await response.body?.cancel();
    return response.status !== 401 && response.status !== 403;
  } catch {
    // No answer, or none over HTTP, is no proof.
    return false;
  }
}
