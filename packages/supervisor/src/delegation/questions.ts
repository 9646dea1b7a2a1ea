import {
  type ApprovalAnswer,
  type ApprovalRequest,
  approvalAnswer,
  approvalRequest,
  type Message,
  memberIn,
  memberInPart,
  provenance,
  withoutMember,
} from "@parley/a2a";
import { decisionIn } from "../plan/plan-answer.ts";
import type { DelegationEntry, DelegationLog } from "./delegation-log.ts";

export interface QuestionsOptions {
  readonly log: DelegationLog;
  /** The next message to our task, or undefined when none will come or nobody waits for one any more. */
  nextMessage(signal: AbortSignal): Promise<Message | undefined>;
  /** The call of the plan under way that has one of these steps. */
  planWith(steps: readonly string[]): string | undefined;
  /** Records a message that came during the work and is for nobody but the model. */
  said(message: Message): Promise<void>;
}

/**
 * The questions of sub-agents to a person. Who asks waits as long as others are at work, because the answer may come
 * meanwhile; when nothing else can run, all of them are told that it takes a person now. Each message is recorded
 * before the next is looked at, so that their order tells after a restart which of them were taken.
 */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #waiting = new Map<string, (reply: Message | undefined) => void>();
  readonly #skipping = new Map<string, (steps: readonly string[]) => void>();
  #atWork = 0;
  #listening: AbortController | undefined;
  #hearing: Promise<void> = Promise.resolve();

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** Does some work, during which nobody who waits gives up. */
  during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#listen();
    return this.#holding(work);
  }

  /**
   * Resolves with the reply to this delegation's question; undefined means that nothing goes on before there is one.
   * Rejects when the signal is aborted, because nobody wants to know any more.
   */
  async reply(id: string, signal: AbortSignal): Promise<Message | undefined> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Message | undefined>();
    const giveUp = () => reject(signal.reason);
    signal.addEventListener("abort", giveUp);
    this.#waiting.set(id, resolve);
    this.#listen();
    this.#look();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
      this.#waiting.delete(id);
    }
  }

  /**
   * Takes a message as a decision about the plan under way, or as the reply to an open question, the one that it names
   * or else the oldest; false: it is neither.
   */
  async take(message: Message): Promise<boolean> {
    const { log, planWith } = this.#options;
    const open = log.openQuestions;
    const decision = decisionIn(message);
    const { skip = [] } = decision ?? {};
    const plan = planWith(skip);
    if (plan !== undefined && !open.some(({ id }) => id === plan)) {
      await this.#holding(async () => {
        await log.record({ id: plan, skip });
        this.#skipping.get(plan)?.(skip);
      });
      return true;
    }
    const asked = askedBy(message, open, decision !== undefined);
    if (!asked) return false;
    const metadata = withoutMember(message.metadata, provenance);
    const { metadata: _, ...said } = message;
    const replied = { ...said, ...(metadata && { metadata }) };
    await this.#holding(() => log.record({ id: asked.id, replied }));
    this.#waiting.get(asked.id)?.(replied);
    return true;
  }

  /** Hears which steps of a plan the user skips while it is carried out; returns what ends the listening. */
  onSkip(plan: string, listener: (steps: readonly string[]) => void): () => void {
    this.#skipping.set(plan, listener);
    return () => this.#skipping.delete(plan);
  }

  /** Takes no further message; resolves when all that were taken are recorded. */
  async rest(): Promise<void> {
    this.#stopListening();
    await this.#hearing;
  }

  // Who waits must not give up in the moment in which a reply is recorded.
  async #holding<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#atWork++;
    try {
      return await work();
    } finally {
      this.#atWork--;
      this.#look();
    }
  }

  #listen(): void {
    if (this.#listening) return;
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    // What cannot be recorded ends the task, and this with it.
    this.#hearing = this.#hearing.then(() => this.#hear(signal)).catch(() => {});
  }

  async #hear(signal: AbortSignal): Promise<void> {
    const { nextMessage, said } = this.#options;
    for (let message = await nextMessage(signal); message; message = await nextMessage(signal)) {
      if (!(await this.take(message))) await said(message);
    }
  }

  // What has just ended may lead to the next thing at once.
  #look(): void {
    setImmediate(() => {
      if (this.#atWork > 0) return;
      this.#stopListening();
      for (const giveUp of this.#waiting.values()) giveUp(undefined);
    });
  }

  #stopListening(): void {
    this.#listening?.abort();
    this.#listening = undefined;
  }
}

/** The question that a message answers: by the call that it says it is about, else by what was asked, else the oldest. */
function askedBy(
  message: Message,
  open: readonly DelegationEntry[],
  decides: boolean,
): DelegationEntry | undefined {
  const { callId } = memberIn(message.metadata, provenance).value ?? {};
  if (callId !== undefined) return open.find(({ id }) => id === callId);
  const answer = answerIn(message);
  return (
    open.find((state) => answer && isFor(answer, requestIn(state))) ??
    open.find(({ began }) => decides && !began) ??
    open[0]
  );
}

function answerIn({ metadata, parts }: Message): ApprovalAnswer | undefined {
  const found = [
    memberIn(metadata, approvalAnswer),
    ...parts.map((part) => memberInPart(part, approvalAnswer)),
  ];
  return found.find(({ value }) => value)?.value;
}

function requestIn({ asked = [] }: DelegationEntry): ApprovalRequest | undefined {
  const found = asked.map((part) => memberInPart(part, approvalRequest));
  return found.find(({ value }) => value)?.value;
}

// Each agent counts its requests by itself.
function isFor({ id, argumentsHash }: ApprovalAnswer, request: ApprovalRequest | undefined): boolean {
  return request?.id === id && request.argumentsHash === argumentsHash;
}
