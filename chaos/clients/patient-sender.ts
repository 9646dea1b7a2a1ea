import { setTimeout as sleep } from "node:timers/promises";
import { NODES, type NodeName } from "../schedule/fault.ts";
import type { SeededRandom } from "../schedule/seeded-random.ts";
import type { ClientJournal } from "./client-journal.ts";
import { exchange } from "./http-exchange.ts";

const PATIENCE_MS = 8_000;
const AGAIN_MS = 300;

export interface SenderOptions {
  readonly journal: ClientJournal;
  readonly urlOf: (node: NodeName) => string;
  readonly key: string;
  readonly random: SeededRandom;
  /** Where commands go; to any when left out. */
  readonly nodes?: readonly [NodeName, ...NodeName[]];
  /** Whether commands go to both nodes at once at this moment. */
  readonly sendsTwice: () => boolean;
  readonly signal: AbortSignal;
}

/** A command that is sent until it is answered, always under the same key. */
export interface Command {
  readonly key: string;
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body: object;
}

/** What came of a command: acknowledged, or refused for good; undefined: the run ended before. */
export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what the API answers is looked at where it is used
  readonly body: any;
}

/** Sends commands as a client with a queue does: again and again, to whichever node, until there is an answer. */
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

  /** One look at something, on whichever node; undefined where that was not possible. */
  async look<Body>(path: string): Promise<Body | undefined> {
    const { random, urlOf, key } = this.#options;
    try {
      const url = `${urlOf(random.pick(NODES))}/api/v1${path}`;
      const { status, text } = await exchange(url, { method: "GET", patienceMs: PATIENCE_MS, key });
      return status === 200 ? (JSON.parse(text) as Body) : undefined;
    } catch {
      return undefined; // Cut: that is what it is here for.
    }
  }

  async #try(node: NodeName, command: Command): Promise<Answered | undefined> {
    const { journal, urlOf, signal } = this.#options;
    const { key, method, path, body } = command;
    journal.note({ sent: key, node, method, path, body });
    try {
      const headers = { "idempotency-key": key };
      const answer = await exchange(`${urlOf(node)}/api/v1${path}`, {
        ...{ method, headers, body, patienceMs: PATIENCE_MS, signal, key: this.#options.key },
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

/** Whether it is worth asking again later. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}
