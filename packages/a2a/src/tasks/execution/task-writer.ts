import { randomUUID } from "node:crypto";
import {
  DiskFullError,
  InvalidRequestError,
  type Journal,
  JournalOverloadedError,
  type Lease,
  StorageUnavailableError,
} from "@parley/journal";
import type { Artifact, Json, Message, Metadata, Part, TaskState } from "../../protocol/model.ts";
import type { Content } from "../executor.ts";
import { type Arrival, receivedEvents, taskStream } from "../task-events.ts";
import type { TaskObserver } from "../task-observer.ts";
import { isSettled, mayMove } from "../task-states.ts";
import { type ArtifactHead, EventBatch, pieceOpening, TextPiece } from "./event-batch.ts";

const UNRECORDED = "The answer could not be recorded";
/** Temporary failures: the storage accepts the same append later. */
const PASSING = [StorageUnavailableError, DiskFullError, JournalOverloadedError];

/** Whether this is a temporary failure of the storage, and so no reason for a task to fail. */
export function isPassing(error: unknown): boolean {
  return PASSING.some((cause) => error instanceof cause);
}

export interface TaskWriterOptions {
  readonly journal: Journal;
  readonly lease: Lease;
  readonly taskId: string;
  readonly contextId: string;
  readonly state: TaskState;
  readonly artifactIds: readonly string[];
  readonly observer: TaskObserver;
  /** Whether text that waits for the same flush may be joined. */
  readonly coalesce: boolean;
  /** Whether the task can be taken up again where its record ends. */
  readonly resumes: boolean;
  /** Called once, when an event could not be written. */
  onFailure(error: unknown, fate: "ended" | "to be taken up"): void;
}

/** How a piece stands to the ones before it; `replace` begins the artifact anew. */
export interface PieceKind {
  readonly last: boolean;
  readonly replace?: boolean;
}

/**
 * Writes to a task's stream, under its lease. Refuses moves that the state machine does not have and whatever comes
 * after the end; decides for every piece whether it appends.
 */
export class TaskWriter {
  readonly #options: TaskWriterOptions;
  /** The artifacts that exist: only the first piece of one has append=false. */
  readonly #artifactIds: Set<string>;
  readonly #batch: EventBatch;
  #state: TaskState;

  constructor(options: TaskWriterOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#artifactIds = new Set(options.artifactIds);
    const { taskId, lease } = options;
    this.#batch = new EventBatch({
      ...options,
      stream: taskStream(taskId),
      epoch: lease.epoch,
      onFailure: (error, settling) => this.#failed(error, settling),
    });
  }

  /** The state as written; its commit may be under way. */
  get state(): TaskState {
    return this.#state;
  }

  /** Moves the task, if there is such a move; false means refused. */
  move(state: TaskState, content?: Content, metadata?: Metadata): boolean {
    const { taskId, observer } = this.#options;
    if (!mayMove(this.#state, state)) {
      observer.refused(taskId, this.#state, state);
      return false;
    }
    this.#enter(state, content, metadata);
    return true;
  }

  opening(head: ArtifactHead): string {
    return pieceOpening(this.#options, head);
  }

  /** Writes a piece of plain text: what most events are, so nothing is built but the text that is stored. */
  text(head: ArtifactHead, opening: string, text: string, last: boolean): void {
    const append = this.#extends(head, text, { last });
    if (append !== undefined) this.#batch.add(new TextPiece(opening, text, { append, last }));
  }

  piece(artifact: Artifact, kind: PieceKind): void {
    const append = this.#extends(artifact, artifact.parts, kind);
    if (append === undefined) return;
    const { taskId, contextId } = this.#options;
    const update = { taskId, contextId, artifact, append, lastChunk: kind.last };
    this.#batch.add({ artifactUpdate: update });
  }

  /** Records a further message of the caller; rejects if that failed. */
  async receive(arrival: Arrival, offer?: string): Promise<void> {
    for (const event of receivedEvents(arrival, offer))
      this.#batch.add(event, { urgent: "received" in event });
    await this.#batch.latest;
  }

  /** Records a note of the executor; resolves when it is committed. */
  async note(note: Json): Promise<void> {
    this.#batch.add({ noted: note }, { urgent: true });
    await this.#batch.latest;
  }

  noteLater(note: Json): void {
    this.#batch.add({ noted: note });
  }

  /** Resolves when there is room for more, or when nothing can be written any more. */
  room(): Promise<void> {
    return this.#batch.room();
  }

  flushed(): Promise<number> {
    return this.#batch.flushed();
  }

  written(): Promise<void> {
    return this.#batch.written();
  }

  // Whether the piece extends its artifact; undefined means that it comes too late.
  #extends(
    head: ArtifactHead,
    content: string | readonly Part[],
    { replace = false }: PieceKind,
  ): boolean | undefined {
    const { taskId, observer } = this.#options;
    const { artifactId } = head;
    if (this.#state !== "TASK_STATE_WORKING") {
      observer.refused(taskId, this.#state, `artifact ${artifactId}`);
      return undefined;
    }
    const append = !replace && this.#artifactIds.has(artifactId);
    this.#artifactIds.add(artifactId);
    if (!append) observer.artifactCreated(taskId, head, this.#artifactIds.size);
    observer.chunk(taskId, head, content, append);
    return append;
  }

  #enter(state: TaskState, content?: Content, metadata?: Metadata): void {
    const { taskId, contextId } = this.#options;
    this.#state = state;
    const message = content === undefined ? undefined : this.#message(content);
    const status = { state, ...(message && { message }), timestamp: new Date().toISOString() };
    const update = { taskId, contextId, status, ...(metadata && { metadata }) };
    this.#batch.add({ statusUpdate: update }, { settles: isSettled(state) });
  }

  // The task fails here, unless it may have ended already: then its next owner finds out.
  #failed(error: unknown, settling: boolean): void {
    const { resumes, onFailure } = this.#options;
    if (resumes && isPassing(error)) {
      this.#batch.stop();
      onFailure(error, "to be taken up");
      return;
    }
    if (!settling || error instanceof InvalidRequestError) this.#enter("TASK_STATE_FAILED", UNRECORDED);
    onFailure(error, "ended");
  }

  #message(content: Content): Message {
    const { taskId, contextId } = this.#options;
    const parts = typeof content === "string" ? [{ text: content }] : content;
    return { messageId: randomUUID(), taskId, contextId, role: "ROLE_AGENT", parts };
  }
}
