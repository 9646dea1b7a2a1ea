import {
  approvalAnswer,
  approvalRequest,
  type Message,
  memberIn,
  memberInPart,
  type PlanDecision,
} from "@parley/a2a";
import { decisionIn } from "../plan/plan-answer.ts";
import type { DelegationEntry, DelegationLog } from "./delegation-log.ts";

export interface QuestionsOptions {
  readonly log: DelegationLog;
  /** The next message to our task, or undefined when none will come or nobody waits for one any more. */
  nextMessage(signal: AbortSignal): Promise<Message | undefined>;
}

/**
 * The questions of sub-agents to a person. Who asks waits as long as others are at work, because the answer may come
 * meanwhile; when nothing else can run, all of them are told that it takes a person now.
 */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #waiting = new Map<string, (reply: Message | undefined) => void>();
  /** Messages that came during the work and were no replies. */
  readonly #unheard: Message[] = [];
  #onDecision: ((decision: PlanDecision) => string | undefined) | undefined;
  #atWork = 0;
  #listening: AbortController | undefined;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** Does some work, during which nobody who waits gives up. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#atWork++;
    this.#listen();
    try {
      return await work();
    } finally {
      this.#atWork--;
      this.#look();
    }
  }

  /** Resolves with the reply to this delegation's question; undefined means that nothing goes on before there is one. */
  reply(id: string): Promise<Message | undefined> {
    const { promise, resolve } = Promise.withResolvers<Message | undefined>();
    this.#waiting.set(id, resolve);
    this.#listen();
    this.#look();
    return promise;
  }

  /** Takes a message as the reply to an open question, the one that it names or else the oldest; false: there is none. */
  async take(message: Message): Promise<boolean> {
    const { log } = this.#options;
    const open = log.openQuestions;
    const answered = answerIdIn(message);
    const asked = open.find((state) => answered !== undefined && requestIdIn(state) === answered) ?? open[0];
    if (!asked) return false;
    // Who waits must not give up in the moment in which the reply is recorded.
    await this.during(() => log.record({ id: asked.id, replied: message }));
    this.#resolve(asked.id, message);
    return true;
  }

  /** Hears what is decided about the plan that is under way; the listener returns the plan's call, if it is its. */
  onDecision(listener: (decision: PlanDecision) => string | undefined): void {
    this.#onDecision = listener;
  }

  /** Takes out the messages that came during the work and were no replies. */
  unheard(): readonly Message[] {
    return this.#unheard.splice(0);
  }

  #listen(): void {
    if (this.#listening) return;
    const listening = new AbortController();
    this.#listening = listening;
    // What cannot be recorded ends the task, and this with it.
    void this.#hear(listening.signal).catch(() => {});
  }

  async #hear(signal: AbortSignal): Promise<void> {
    for (;;) {
      const message = await this.#options.nextMessage(signal);
      if (!message) return;
      const decision = decisionIn(message);
      const plan = decision && this.#onDecision?.(decision);
      if (plan !== undefined) await this.#options.log.record({ id: plan, replied: message });
      else if (!(await this.take(message))) this.#unheard.push(message);
    }
  }

  // What has just ended may lead to the next thing at once.
  #look(): void {
    setImmediate(() => {
      if (this.#atWork > 0) return;
      this.#listening?.abort();
      this.#listening = undefined;
      for (const id of [...this.#waiting.keys()]) this.#resolve(id, undefined);
    });
  }

  #resolve(id: string, reply: Message | undefined): void {
    this.#waiting.get(id)?.(reply);
    this.#waiting.delete(id);
  }
}

function answerIdIn({ metadata, parts }: Message): string | undefined {
  const found = [
    memberIn(metadata, approvalAnswer),
    ...parts.map((part) => memberInPart(part, approvalAnswer)),
  ];
  return found.find(({ value }) => value)?.value?.id;
}

function requestIdIn({ asked = [] }: DelegationEntry): string | undefined {
  const found = asked.map((part) => memberInPart(part, approvalRequest));
  return found.find(({ value }) => value)?.value?.id;
}
