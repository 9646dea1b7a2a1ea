import type { A2AClient, Message } from "@parley/a2a";
import type { BlobStore } from "@parley/journal";
import type { OpenSession } from "../open-session.ts";
import { messageOf, type PendingInput, pendingInputs } from "./pending-input.ts";
import type { RunMemory } from "./run-memory.ts";

export interface LiveSpeechOptions {
  readonly runId: string;
  readonly session: OpenSession;
  readonly memory: RunMemory;
  readonly blobs: BlobStore;
  /** Something has reached the agent. */
  heard(saying: PendingInput): Promise<void>;
  /** Something has not; it is said again with the next stream, or answered by a further run. */
  unheard(error: Error): void;
}

/** Passes on what people say to a run while its agent works. */
export class LiveSpeech {
  readonly #options: LiveSpeechOptions;
  readonly #unheard = new Set<string>();
  #hasNews = true;
  #speaking: Promise<void> | undefined;
  #client: A2AClient | undefined;
  #signal: AbortSignal | undefined;

  constructor(options: LiveSpeechOptions) {
    this.#options = options;
  }

  /** From now on this client's agent can be spoken to, until the signal aborts. */
  with(client: A2AClient, signal: AbortSignal): void {
    this.#client = client;
    this.#signal = signal;
    this.#unheard.clear();
    this.#hasNews = true;
  }

  /** There is something to say. */
  news(): void {
    this.#hasNews = true;
    this.speak();
  }

  /** Says what there is to say, if anything, once the agent has named its task. */
  speak(): void {
    if (!this.#hasNews || this.#speaking || this.#options.memory.transform.taskId === undefined) return;
    this.#hasNews = false;
    this.#speaking = this.#sayAll().then(
      () => {
        this.#speaking = undefined;
        // Somebody may have spoken just after the last look.
        this.speak();
      },
      (error: Error) => {
        this.#speaking = undefined;
        // The session cannot be read now: it is looked at again with the agent's next word.
        this.#hasNews = true;
        this.#options.unheard(error);
      },
    );
  }

  /** Resolves when nothing is being said. */
  async silent(): Promise<void> {
    while (this.#speaking) await this.#speaking;
  }

  /** The message in which an agent is told this. */
  async messageTo(
    client: A2AClient,
    saying: PendingInput,
    taskId: string,
  ): Promise<Message & { readonly taskId: string }> {
    const { memory, blobs, runId } = this.#options;
    const message = await messageOf(saying, memory.transform, { blobs, client });
    return { ...message, taskId, messageId: `${runId}/${message.messageId}` };
  }

  async #sayAll(): Promise<void> {
    const { session, runId, memory } = this.#options;
    for (;;) {
      const state = await session.current();
      const next = pendingInputs(state, runId, memory.told).find(({ id }) => !this.#unheard.has(id));
      const { taskId, waitingFor, isOver } = memory.transform;
      if (!next || taskId === undefined || waitingFor !== undefined || isOver) return;
      if (!this.#client || !this.#signal || this.#signal.aborted) return;
      await this.#say(next, taskId, this.#client, this.#signal);
    }
  }

  async #say(saying: PendingInput, taskId: string, client: A2AClient, signal: AbortSignal): Promise<void> {
    try {
      const message = await this.messageTo(client, saying, taskId);
      const configuration = { returnImmediately: true };
      await client.send({ message, configuration }, { signal, idempotencyKey: message.messageId });
      await this.#options.heard(saying);
    } catch (error) {
      this.#unheard.add(saying.id);
      if (!signal.aborted) this.#options.unheard(error as Error);
    }
  }
}
