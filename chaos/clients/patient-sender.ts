import { setTimeout as sleep } from "node:timers/promises";
import { NODES, type NodeName } from "../schedule/fault.ts";
import type { SeededRandom } from "../schedule/seeded-random.ts";
import type { ClientJournal } from "./client-journal.ts";
import { exchange } from "./http-exchange.ts";

const IDLE_TIMEOUT_MS = 8_000;
const AGAIN_MS = 300;

export interface SenderOptions {
  readonly journal: ClientJournal;
  readonly urlOf: (node: NodeName) => string;
  readonly key: string;
  readonly random: SeededRandom;
  /** The node for commands; any node by default. */
  readonly nodes?: readonly [NodeName, ...NodeName[]];
  /** Whether commands are currently sent to both nodes at once. */
  readonly sendsTwice: () => boolean;
  readonly signal: AbortSignal;
}

/** A command that is retried until it is answered, always under the same key. */
export interface Command {
  readonly key: string;
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body: object;
}

/** The outcome of a command: acknowledged or finally rejected; undefined if the chaos run ended first. */
export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what the API answers is looked at where it is used
  readonly body: any;
}

/** Sends commands like a client with a queue: retries on any node until there is a response. */
export class PatientSender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  async send(command: Command): Promise<Answered | undefined> {
    const { random, sendsTwice, signal, nodes: known = NODES } = this.#options;
    while (!signal.aborted) {
      const nodes = sendsTwice() ? random.shuffled(NODES) : [random.pick(known)];
      const answers = await Promise.all(nodes.map((node) => this.#try(node, command)));
      const final = answers.find((answer) => answer && !isPassing(answer.status));
      if (final) return final;
      await sleep(AGAIN_MS);
    }
    return undefined;
  }

  /** Reads once from any node; undefined if that was not possible. */
  async look<Body>(path: string): Promise<Body | undefined> {
    const { random, urlOf, key } = this.#options;
    try {
      const url = `${urlOf(random.pick(NODES))}/api/v1${path}`;
      const { status, text } = await exchange(url, { method: "GET", idleTimeoutMs: IDLE_TIMEOUT_MS, key });
      return status === 200 ? (JSON.parse(text) as Body) : undefined;
    } catch {
      return undefined; // An injected cut.
    }
  }

  async #try(node: NodeName, command: Command): Promise<Answered | undefined> {
    const { journal, urlOf, signal } = this.#options;
    const { key, method, path, body } = command;
    journal.note({ sent: key, node, method, path, body });
    try {
      const headers = { "idempotency-key": key };
      const answer = await exchange(`${urlOf(node)}/api/v1${path}`, {
        ...{ method, headers, body, idleTimeoutMs: IDLE_TIMEOUT_MS, signal, key: this.#options.key },
      });
      const { headers: _, date: __, ...outcome } = answer;
      journal.note({ answered: key, node, ...outcome });
      return { status: answer.status, body: JSON.parse(answer.text) };
    } catch (error) {
      journal.note({ unanswered: key, node, why: (error as Error).message });
      return undefined;
    }
  }
}

/** Whether the response is retryable. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}
