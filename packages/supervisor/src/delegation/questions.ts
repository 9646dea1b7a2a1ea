import { approvalAnswer, approvalRequest, type Message, memberIn, memberInPart } from "@parley/a2a";
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
  #atWork = 0;
  #listening: AbortController | undefined;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** Does some work, during which nobody who waits gives up. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#atWork++;
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
    // What cannot be recorded ends the task, and this with it.
    this.#listen().catch(() => {});
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

  async #listen(): Promise<void> {
    if (this.#listening) return;
    const listening = new AbortController();
    this.#listening = listening;
    for (;;) {
      const message = await this.#options.nextMessage(listening.signal);
      if (!message) break;
      await this.take(message);
    }
    if (this.#listening === listening) this.#listening = undefined;
  }

  // What has just ended may lead to the next thing at once.
  #look(): void {
    setImmediate(() => {
      if (this.#atWork > 0) return;
      for (const id of [...this.#waiting.keys()]) this.#resolve(id, undefined);
    });
  }

  #resolve(id: string, reply: Message | undefined): void {
    this.#waiting.get(id)?.(reply);
    this.#waiting.delete(id);
    if (this.#waiting.size > 0) return;
    this.#listening?.abort();
    this.#listening = undefined;
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
