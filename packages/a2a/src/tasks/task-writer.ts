import { randomUUID } from "node:crypto";
import type { AppendOptions, Journal, Lease } from "@parley/journal";
import type { Artifact, Message, Metadata, TaskState } from "../protocol/model.ts";
import { ArtifactLedger } from "./artifact-ledger.ts";
import { joinText } from "./coalesce-text.ts";
import type { Content } from "./executor.ts";
import { type TaskEvent, taskStream } from "./task-events.ts";
import type { TaskObserver } from "./task-observer.ts";
import { isSettled, mayMove } from "./task-states.ts";

/** So many events may wait for their commit before a writer is asked to pause. */
const PLENTY = 256;

export interface TaskWriterOptions {
  readonly journal: Journal;
  readonly lease: Lease;
  readonly taskId: string;
  readonly contextId: string;
  readonly state: TaskState;
  /** The artifacts that the task already has. */
  readonly artifactIds: readonly string[];
  readonly observer: TaskObserver;
  /** Whether text that waits for the same flush may be joined. */
  readonly coalesce: boolean;
  /** Called once, when an event could not be written. */
  onFailure(error: unknown): void;
}

/**
 * The one who writes to a task's stream, under its lease. Refuses moves that the state machine does not have and
 * whatever comes after the end; decides append for every piece by the ledger.
 */
export class TaskWriter {
  readonly #options: TaskWriterOptions;
  readonly #ledger = new ArtifactLedger();
  #state: TaskState;
  #waiting = 0;
  #room: (() => void)[] = [];
  #failed = false;
  #last: Promise<void> = Promise.resolve();
  #committed = 0;

  constructor(options: TaskWriterOptions) {
    this.#options = options;
    this.#state = options.state;
    for (const artifactId of options.artifactIds) this.#ledger.record(artifactId);
  }

  /** The state as written; its commit may be under way. */
  get state(): TaskState {
    return this.#state;
  }

  /** Moves the task, if there is such a move; false means refused. */
  move(state: TaskState, content?: Content, metadata?: Metadata): boolean {
    const { taskId, contextId, observer } = this.#options;
    if (!mayMove(this.#state, state)) {
      observer.refused(taskId, this.#state, state);
      return false;
    }
    this.#state = state;
    const message = content === undefined ? undefined : this.#message(content);
    const status = { state, ...(message && { message }), timestamp: new Date().toISOString() };
    const update = { taskId, contextId, status, ...(metadata && { metadata }) };
    this.#append({ statusUpdate: update }, { urgent: isSettled(state) });
    return true;
  }

  /** Writes a piece of an artifact; `replace` begins the artifact anew. */
  piece(artifact: Artifact, { last, replace = false }: { last: boolean; replace?: boolean }): void {
    const { taskId, contextId, observer, coalesce } = this.#options;
    if (this.#state !== "TASK_STATE_WORKING") {
      observer.refused(taskId, this.#state, `artifact ${artifact.artifactId}`);
      return;
    }
    const append = !replace && this.#ledger.appends(artifact.artifactId);
    this.#ledger.record(artifact.artifactId);
    if (!append) observer.artifactCreated(taskId, artifact, this.#ledger.size);
    observer.chunk();
    const update = { taskId, contextId, artifact, append, lastChunk: last };
    this.#append({ artifactUpdate: update }, coalesce ? { merge: joinText } : {});
  }

  /** Records a further message of the caller's; resolves after the commit, rejects where there is none. */
  async receive(message: Message): Promise<void> {
    await this.#append({ received: message }, { urgent: true });
  }

  /** Resolves when there is room for more, or when nothing can be written any more. */
  async room(): Promise<void> {
    if (this.#waiting < PLENTY || this.#failed) return;
    await new Promise<void>((resolve) => this.#room.push(resolve));
  }

  /** Resolves when all that was written is committed, or could not be, with the last index that was. */
  async flushed(): Promise<number> {
    await this.#last;
    return this.#committed;
  }

  #message(content: Content): Message {
    const { taskId, contextId } = this.#options;
    const parts = typeof content === "string" ? [{ text: content }] : content;
    return { messageId: randomUUID(), taskId, contextId, role: "ROLE_AGENT", parts };
  }

  #append(event: TaskEvent, options: AppendOptions): Promise<number> {
    this.#waiting++;
    const { journal, lease, taskId } = this.#options;
    const appended = journal.append(taskStream(taskId), [event], { ...options, epoch: lease.epoch });
    this.#last = appended.then(
      (index) => {
        this.#committed = index;
        this.#settled();
      },
      (error: unknown) => {
        if (!this.#failed) this.#options.onFailure(error);
        this.#failed = true;
        this.#settled();
      },
    );
    return appended;
  }

  #settled(): void {
    this.#waiting--;
    if (this.#waiting < PLENTY || this.#failed) for (const resolve of this.#room.splice(0)) resolve();
  }
}
