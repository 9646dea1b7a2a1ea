import type { A2AClient, Message } from "@parley/a2a";
import type { BlobStore } from "@parley/journal";
import type { EventOf } from "../domain/session-event.ts";
import type { SessionMessage, SessionState } from "../domain/session-state.ts";
import type { OpenSession } from "../open-session.ts";
import type { RunMemory } from "./run-memory.ts";
import { answerMessage, furtherMessage } from "./run-message.ts";

/** What a person says to a run under way: an answer to its question, or a further message. */
export type PendingInput =
  | { readonly id: string; readonly answer: EventOf<"approval_answered"> }
  | { readonly id: string; readonly message: SessionMessage };

/** The inputs of a run that have not reached its agent, answers first. */
export function pendingInputs(
  state: SessionState,
  runId: string,
  delivered: ReadonlySet<string>,
): readonly PendingInput[] {
  const answers = [...state.approvals.values()].flatMap(({ id, answer }): PendingInput[] =>
    answer?.runId === runId ? [{ id, answer }] : [],
  );
  const messages = state.messages.flatMap((message): PendingInput[] =>
    message.role === "user" && message.runId === runId ? [{ id: message.id, message }] : [],
  );
  return [...answers, ...messages].filter(({ id }) => !delivered.has(id));
}

export interface InputDeliveryOptions {
  readonly runId: string;
  readonly session: OpenSession;
  readonly memory: RunMemory;
  readonly blobs: BlobStore;
  delivered(input: PendingInput): Promise<void>;
  /** It is sent again with the next stream, or answered by a further run. */
  undelivered(error: Error): void;
}

/** Delivers what people say to a run while its agent works. */
export class InputDelivery {
  readonly #options: InputDeliveryOptions;
  readonly #failed = new Set<string>();
  #hasNews = true;
  #sending: Promise<void> | undefined;
  #client: A2AClient | undefined;
  #signal: AbortSignal | undefined;

  constructor(options: InputDeliveryOptions) {
    this.#options = options;
  }

  /** From now on this client is used, until the signal aborts. */
  use(client: A2AClient, signal: AbortSignal): void {
    this.#client = client;
    this.#signal = signal;
    this.#failed.clear();
    this.#hasNews = true;
  }

  /** Somebody has said something. */
  notify(): void {
    this.#hasNews = true;
    this.send();
  }

  /** Sends what is pending, once the agent has named its task. */
  send(): void {
    if (!this.#hasNews || this.#sending || this.#options.memory.transform.taskId === undefined) return;
    this.#hasNews = false;
    this.#sending = this.#sendAll().then(
      () => {
        this.#sending = undefined;
        // More may have come just after the last look.
        this.send();
      },
      (error: Error) => {
        this.#sending = undefined;
        // The session cannot be read now: it is read again with the agent's next event.
        this.#hasNews = true;
        this.#options.undelivered(error);
      },
    );
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    while (this.#sending) await this.#sending;
  }

  /** The input as a message to the agent's task. */
  async messageFor(
    client: A2AClient,
    input: PendingInput,
    taskId: string,
  ): Promise<Message & { readonly taskId: string }> {
    const { memory, blobs, runId } = this.#options;
    const message =
      "message" in input
        ? await furtherMessage(input.message, blobs, client)
        : answerMessage(input.answer, memory.transform.question(input.id));
    return { ...message, taskId, messageId: `${runId}/${message.messageId}` };
  }

  async #sendAll(): Promise<void> {
    const { session, runId, memory } = this.#options;
    for (;;) {
      const inputs = pendingInputs(await session.current(), runId, memory.told);
      const next = inputs.find(({ id }) => !this.#failed.has(id));
      const { taskId, waitingFor, isOver } = memory.transform;
      if (!next || taskId === undefined || waitingFor !== undefined || isOver) return;
      if (!this.#client || !this.#signal || this.#signal.aborted) return;
      await this.#sendOne(next, taskId, this.#client, this.#signal);
    }
  }

  async #sendOne(input: PendingInput, taskId: string, client: A2AClient, signal: AbortSignal): Promise<void> {
    try {
      const message = await this.messageFor(client, input, taskId);
      const configuration = { returnImmediately: true };
      await client.send({ message, configuration }, { signal, idempotencyKey: message.messageId });
      await this.#options.delivered(input);
    } catch (error) {
      this.#failed.add(input.id);
      if (!signal.aborted) this.#options.undelivered(error as Error);
    }
  }
}
