import { setTimeout as sleep } from "node:timers/promises";
import type { SeededRandom } from "../schedule/seeded-random.ts";
import { ENTERING, HOSTED, SOLE } from "../world/agent-files.ts";
import { type Request, wordsOf } from "../world/spoken-words.ts";
import type { Belongings } from "./belongings.ts";
import type { PatientSender } from "./patient-sender.ts";

const MESSAGES_IN_A_SESSION = 3;
const LOOK_EVERY_MS = 300;
const MAX_ANSWER_MS = 60_000;
const AGENTS = [...HOSTED, SOLE] as const;

/** What talkers request in a directed run. */
export interface Asks {
  readonly agent: string;
  /** From 0 to 1. */
  readonly enters: number;
  readonly tokens: number;
}

export interface TalkerOptions {
  readonly name: string;
  readonly sender: PatientSender;
  readonly random: SeededRandom;
  readonly signal: AbortSignal;
  /** Records its resources as targets for intruders; none by default. */
  readonly belongings?: Belongings | undefined;
  /** The agent it calls, and the share of requests with a ledger entry; any agent by default. */
  readonly asks?: Asks | undefined;
}

interface Run {
  readonly id: string;
  readonly status: string;
}

/** A user who sends messages, waits for answers, and now and then cancels a run or edits a message. */
export class Talker {
  readonly #options: TalkerOptions;
  #commands = 0;

  constructor(options: TalkerOptions) {
    this.#options = options;
  }

  async talk(): Promise<void> {
    while (!this.#options.signal.aborted) await this.#converse();
  }

  /** Sends one message in a new session. */
  async askOnce(): Promise<void> {
    const agent = this.#options.asks?.agent ?? SOLE;
    const created = await this.#send("POST", "/sessions", { title: this.#options.name, agent });
    const id: string | undefined = created?.body?.session?.id;
    if (id !== undefined)
      await this.#send("POST", `/sessions/${id}/messages`, { content: this.#words(agent, true) });
  }

  async #converse(): Promise<void> {
    const { random, signal, asks } = this.#options;
    // Half goes to the supervisor, half directly to an agent.
    const direct = asks?.agent ?? (random.chance(0.5) ? random.pick(AGENTS) : undefined);
    const create = { title: this.#options.name, ...(direct && { agent: direct }) };
    const created = await this.#send("POST", "/sessions", create);
    const id: string | undefined = created?.body?.session?.id;
    for (let n = 0; id !== undefined && n < MESSAGES_IN_A_SESSION && !signal.aborted; n++) {
      const agent = direct ?? random.pick(AGENTS);
      const posted = await this.#send("POST", `/sessions/${id}/messages`, {
        content: this.#words(agent, direct !== undefined),
      });
      const run: string | undefined = posted?.body?.run?.id;
      if (run === undefined) return;
      this.#options.belongings?.talk({ id, runId: run, messageId: posted?.body?.message?.id });
      if (random.chance(0.15)) {
        await sleep(random.between(0, 1_500));
        await this.#send("POST", `/sessions/${id}/runs/${run}/cancel`, {});
      }
      await this.#untilEnded(id, run);
      if (random.chance(0.2)) {
        const content = this.#words(agent, direct !== undefined);
        await this.#send("PUT", `/sessions/${id}/messages/${posted?.body?.message?.id}`, { content });
        return;
      }
    }
  }

  #words(agent: string, isDirect: boolean): string {
    const { random, asks } = this.#options;
    const entered = ENTERING.includes(agent) && random.chance(asks?.enters ?? 0.6);
    const request: Request = { key: this.#key(), tokens: asks?.tokens ?? random.between(10, 80), entered };
    return isDirect ? wordsOf(request) : `ask ${agent}: ${wordsOf(request)}`;
  }

  #key(): string {
    return `k${this.#options.name.replace(/\W/g, "")}x${++this.#commands}`;
  }

  #send(method: "POST" | "PUT", path: string, body: object) {
    return this.#options.sender.send({ key: this.#key(), method, path, body });
  }

  async #untilEnded(sessionId: string, runId: string): Promise<void> {
    const { sender, signal } = this.#options;
    const began = performance.now();
    while (!signal.aborted && performance.now() - began < MAX_ANSWER_MS) {
      const looked = await sender.look<{ run: Run }>(`/sessions/${sessionId}/runs/${runId}`);
      if (looked && !["running", "waiting"].includes(looked.run.status)) return;
      await sleep(LOOK_EVERY_MS);
    }
  }
}
