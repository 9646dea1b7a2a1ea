import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Artifact, Message, Part, StreamResponse, Task, TaskState, TaskStatus } from "@parley/a2a";

/** An agent's work on a task; if it throws, the task fails. */
export type Script = (task: PeerTask, text: string) => Promise<unknown> | unknown;

const TERMINAL: readonly string[] = ["COMPLETED", "FAILED", "CANCELED", "REJECTED"];
const WAITING: readonly string[] = ["INPUT_REQUIRED", "AUTH_REQUIRED"];
type State = TaskState extends `TASK_STATE_${infer Name}` ? Name : never;

/** A peer's task: stores its script's events and streams them to subscribers. */
export class PeerTask {
  readonly id: string;
  readonly contextId: string;
  readonly #artifacts = new Map<string, { artifact: Artifact; parts: Part[] }>();
  readonly #history: Message[];
  readonly #log: StreamResponse[] = [];
  readonly #stopping = new AbortController();
  #status = statusOf("SUBMITTED");
  #news = Promise.withResolvers<void>();
  #answer = Promise.withResolvers<string>();

  constructor(names: { readonly id: string; readonly contextId: string }, message: Message) {
    this.id = names.id;
    this.contextId = names.contextId;
    this.#history = [message];
  }

  /** Aborted when the task is canceled. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  get isOver(): boolean {
    return isAny(TERMINAL, this.#status);
  }

  /** Terminal, or waiting for an answer. */
  get isSettled(): boolean {
    return this.isOver || isAny(WAITING, this.#status);
  }

  /** The artifact ids, in order of creation. */
  get artifactIds(): readonly string[] {
    return [...this.#artifacts.keys()];
  }

  /** The task as it is now. */
  get record(): Task {
    const artifacts = [...this.#artifacts.values()].map(({ artifact, parts }) => ({
      ...artifact,
      parts: [...parts],
    }));
    const { id, contextId } = this;
    return { id, contextId, status: this.#status, artifacts, history: [...this.#history] };
  }

  /** Publishes a status; a text becomes its message. A terminal task does not change. */
  status(state: State, text?: string, more: readonly Part[] = []): void {
    const { id: taskId, contextId } = this;
    const parts = [{ text: text ?? "" }, ...more];
    const message: Message = { messageId: randomUUID(), role: "ROLE_AGENT", parts, taskId, contextId };
    const status = statusOf(state, text === undefined ? undefined : message);
    if (this.isOver) return;
    this.#status = status;
    this.#tell({ statusUpdate: { taskId, contextId, status } });
  }

  /** Publishes an artifact, or a chunk that extends it. */
  piece(artifact: Artifact, { append = false, lastChunk = false } = {}): void {
    if (this.isOver) return;
    const known = this.#artifacts.get(artifact.artifactId);
    if (append && known) known.parts.push(...artifact.parts);
    else this.#artifacts.set(artifact.artifactId, { artifact, parts: [...artifact.parts] });
    const { id: taskId, contextId } = this;
    this.#tell({ artifactUpdate: { taskId, contextId, artifact, append, lastChunk } });
  }

  /** Publishes texts as the chunks of one artifact. */
  async text(artifact: Omit<Artifact, "parts">, tokens: readonly string[], pause = 0): Promise<void> {
    for (const [place, text] of tokens.entries()) {
      const lastChunk = place === tokens.length - 1;
      this.piece({ ...artifact, parts: [{ text }] }, { append: place > 0, lastChunk });
      await this.pause(pause);
    }
  }

  /** Asks and waits for the answer without a timeout. */
  ask(question: string, more: readonly Part[] = []): Promise<string> {
    this.#answer = Promise.withResolvers<string>();
    this.status("INPUT_REQUIRED", question, more);
    return this.#answer.promise;
  }

  /** The answer to what it asked. */
  answer(message: Message, text: string): void {
    this.#history.push(message);
    this.status("WORKING");
    this.#answer.resolve(text);
  }

  /** Waits; throws when the task is canceled. */
  async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.signal });
  }

  cancel(): void {
    this.status("CANCELED");
    this.#stopping.abort();
  }

  /** Resolves when the task is settled. */
  async settled(): Promise<void> {
    while (!this.isSettled) await this.#news.promise;
  }

  /** The task as it is, and then what happens to it until it is settled. */
  async *follow(): AsyncGenerator<StreamResponse, void, void> {
    let place = this.#log.length;
    yield { task: this.record };
    for (;;) {
      for (; place < this.#log.length; place++) yield this.#log[place] as StreamResponse;
      if (this.isSettled) return;
      await this.#news.promise;
    }
  }

  #tell(event: StreamResponse): void {
    this.#log.push(event);
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}

function statusOf(state: State, message?: Message): TaskStatus {
  const timestamp = new Date().toISOString();
  return { state: `TASK_STATE_${state}`, timestamp, ...(message && { message }) };
}

function isAny(states: readonly string[], { state }: TaskStatus): boolean {
  return states.includes(state.slice("TASK_STATE_".length));
}
