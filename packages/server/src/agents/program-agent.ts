import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type AgentDefinition, ProcessGroup } from "@parley/agent";
import { Backoff, NO_JITTER } from "@parley/journal";
import { z } from "zod";
import { closeServer, listen } from "../http/listen.ts";
import type { AgentServerOptions, AgentStatus } from "./agent-server.ts";

const RESTARTS = { firstDelayMs: 2_000, maxDelayMs: 30_000, jitter: NO_JITTER };
const UP_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 50;
const MAX_WORDS_LENGTH = 200;
/** Agents are reached from this machine only, wherever the main port is. */
const HOST = "127.0.0.1";
const OPEN =
  'answers whoever asks on this machine: let it take only what comes with "Authorization: Bearer" and the key in its variable PARLEY_KEY';

type Options = Pick<AgentServerOptions, "platform" | "ports" | "changed" | "keyOf">;

/** An agent that is a program: started on its port, and started again whenever it has ended. */
export class ProgramAgent {
  readonly #options: Options;
  readonly #definition: AgentDefinition;
  #group: ProcessGroup | undefined;
  #url: string | undefined;
  #trouble: string | undefined;
  #state: AgentStatus["state"] = "starting";
  #lastWords = "";
  #stopped = false;
  readonly #backoff = new Backoff(RESTARTS);
  #retry: NodeJS.Timeout | undefined;

  constructor(definition: AgentDefinition, options: Options) {
    this.#definition = definition;
    this.#options = options;
  }

  /** Resolves when it serves its card or has loudly failed; then it is tried again. */
  async start(): Promise<void> {
    try {
      await this.#begin();
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
    this.#options.changed?.();
  }

  /** A program cannot change where it is: it is started anew. */
  update(): boolean {
    return false;
  }

  status(): AgentStatus {
    const { name, description } = this.#definition;
    return {
      ...{ name, description, state: this.#state, model: "", mcpServers: [] },
      ...(this.#url !== undefined && { url: this.#url }),
      troubles: this.#trouble === undefined ? [] : [this.#trouble],
    };
  }

  /** Its tasks are its own, and no other node's. */
  async suspend(): Promise<void> {}

  /** Ends it with all that it started. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    await this.#group?.stop();
  }

  /** Its tasks are its own: there is nothing else to end. */
  retire(): Promise<void> {
    return this.stop();
  }

  async #begin(): Promise<void> {
    const { program, name } = this.#definition;
    if (!program || this.#stopped) return;
    const port = await this.#freePort();
    const key = this.#options.keyOf?.(name).secret;
    // Not as an argument, which everybody on the machine can read.
    const env = { PORT: String(port), HOST, ...program.env, ...(key !== undefined && { PARLEY_KEY: key }) };
    const group = await ProcessGroup.start({ ...program, env });
    this.#group = group;
    if (this.#stopped) return group.stop();
    this.#lastWords = "";
    group.child.stdout.resume();
    group.child.stderr.on("data", (chunk: Buffer) => this.#hear(chunk.toString()));
    const ended = group.ended.then(async (how) => {
      await group.drained();
      // What the program started must not outlive it.
      await group.stop();
      return [how, this.#lastWords].filter(Boolean).join("; its last words were: ");
    });
    const url = `http://localhost:${port}`;
    const looking = new AbortController();
    const early = await Promise.race([ended, cardServed(url, looking.signal)]);
    looking.abort();
    if (early !== undefined) {
      await group.stop();
      throw new Error(`${name} did not come up: ${early}`);
    }
    this.#url = url;
    this.#state = "up";
    this.#trouble = key !== undefined && (await answersAnybody(url)) ? `${name} ${OPEN}` : undefined;
    if (this.#trouble !== undefined) this.#options.platform.log.warn({ agent: name }, this.#trouble);
    this.#backoff.reset();
    void ended.then((how) => {
      this.#fail(`${name} has ended (${how}) and is started again`);
      this.#options.changed?.();
    });
  }

  /** The port that it is to have, once that is known to be free: a program's own words for it are nobody's. */
  async #freePort(): Promise<number> {
    const { ports } = this.#options;
    const { file, name } = this.#definition;
    const probe = createServer();
    const advice = `give ${name} another one with "port:" in ${file}`;
    // One that it had is its own, also where any was free.
    const port = this.#url ? Number(new URL(this.#url).port) : await ports.portOf(this.#definition);
    const bound = await listen(probe, { host: HOST, port, advice });
    await closeServer(probe);
    return bound;
  }

  #hear(words: string): void {
    const { platform } = this.#options;
    const line = words.trim().split("\n").at(-1)?.slice(0, MAX_WORDS_LENGTH);
    if (line) this.#lastWords = line;
    platform.log.debug({ agent: this.#definition.name, line }, "program of an agent says");
  }

  #fail(trouble: string): void {
    if (this.#stopped) return;
    this.#state = "failed";
    this.#trouble = trouble;
    const retryInMs = this.#backoff.next();
    const fields = { agent: this.#definition.name, trouble, retryInMs };
    this.#options.platform.log.error(fields, "program of an agent is not there");
    this.#retry = setTimeout(() => void this.start(), retryInMs).unref();
  }
}

/** Resolves when an agent is served there, or with why it is given up. */
async function cardServed(url: string, looking: AbortSignal): Promise<string | undefined> {
  const last = performance.now() + UP_WITHIN_MS;
  while (!looking.aborted && performance.now() < last) {
    const isServed = await fetch(`${url}/.well-known/agent-card.json`, {
      signal: AbortSignal.any([looking, AbortSignal.timeout(1_000)]),
    }).then(
      (response) => response.body?.cancel().then(() => response.ok),
      () => false,
    );
    if (isServed) return undefined;
    await pause(LOOK_EVERY_MS);
  }
  return `it served no card at ${url}/.well-known/agent-card.json within ${UP_WITHIN_MS / 1_000} s`;
}

const WITHIN_MS = 5_000;
const cardSchema = z.object({
  url: z.string().optional(),
  supportedInterfaces: z.array(z.object({ url: z.string() })).optional(),
});

/** Whether the agent that serves its card there takes a request of somebody who shows nothing; asked for a task that nobody has. */
async function answersAnybody(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(WITHIN_MS);
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
    // Who does not answer at all, or not over HTTP, is not shown to answer anybody.
    return false;
  }
}
