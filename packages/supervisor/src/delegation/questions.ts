import {
  type ApprovalAnswer,
  type ApprovalRequest,
  approvalAnswer,
  approvalRequest,
  type Message,
  memberIn,
  memberInMessage,
  planDecision,
  provenance,
  withoutMember,
} from "@parley/a2a";
import type { DelegationEntry, DelegationLog } from "./delegation-log.ts";

export interface QuestionsOptions {
  readonly log: DelegationLog;
  /** The next message to our task; undefined when none will come. */
  nextMessage(signal: AbortSignal): Promise<Message | undefined>;
  /** The call of the running plan that has one of these steps. */
  planWith(steps: readonly string[]): string | undefined;
  /** Records a message that only the model needs. */
  said(message: Message): Promise<void>;
}

/**
 * The questions of sub-agents to a person. A delegation that asks waits while others work, because the answer may come
 * meanwhile; when nothing else can run, all give up waiting. Each message is recorded before the next is read, so that
 * after a restart their order shows which were taken.
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

  /** Does some work, during which no waiting delegation gives up. */
  during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#listen();
    return this.#holding(work);
  }

  /** Resolves with the reply to this delegation's question; undefined: nothing can continue without one. */
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

  /** Takes a message as a decision about the running plan, or as the reply to an open question; false: it is neither. */
  async take(message: Message): Promise<boolean> {
    const { log, planWith } = this.#options;
    const open = log.openQuestions;
    const decision = memberInMessage(message, planDecision);
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

  /** Calls the listener with the steps of a plan that the user skips; returns a function that unsubscribes. */
  onSkip(plan: string, listener: (steps: readonly string[]) => void): () => void {
    this.#skipping.set(plan, listener);
    return () => this.#skipping.delete(plan);
  }

  /** Takes no further message; resolves when all that were taken are recorded. */
  async rest(): Promise<void> {
    this.#stopListening();
    await this.#hearing;
  }

  // No delegation may give up while its reply is being recorded.
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
    // A message that cannot be recorded ends the task anyway.
    this.#hearing = this.#hearing.then(() => this.#hear(signal)).catch(() => {});
  }

  async #hear(signal: AbortSignal): Promise<void> {
    const { nextMessage, said } = this.#options;
    for (let message = await nextMessage(signal); message; message = await nextMessage(signal)) {
      if (!(await this.take(message))) await said(message);
    }
  }

  // What has just ended may start the next thing at once.
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

/** The question that a message answers: by call, else by approval request, else the oldest. */
function askedBy(
  message: Message,
  open: readonly DelegationEntry[],
  decides: boolean,
): DelegationEntry | undefined {
  const { callId } = memberIn(message.metadata, provenance).value ?? {};
  if (callId !== undefined) return open.find(({ id }) => id === callId);
  const answer = memberInMessage(message, approvalAnswer);
  const request = ({ asked = [] }: DelegationEntry) => memberInMessage({ parts: asked }, approvalRequest);
  return (
    open.find((state) => answer && isFor(answer, request(state))) ??
    open.find(({ began }) => decides && !began) ??
    open[0]
  );
}

// Each agent counts its requests by itself.
function isFor({ id, argumentsHash }: ApprovalAnswer, request: ApprovalRequest | undefined): boolean {
  return request?.id === id && request.argumentsHash === argumentsHash;
}
