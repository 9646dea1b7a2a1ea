import { isDeepStrictEqual } from "node:util";
import type {
  Artifact,
  StreamResponse,
  Task,
  TaskArtifactUpdate,
  TaskState,
  TaskStatus,
} from "../../protocol/model.ts";
import { isTerminal } from "../../tasks/task-states.ts";
import type { ClientObserver } from "../client-observer.ts";
import { ArtifactNames } from "./artifact-names.ts";
import { type PieceOutcome, TrackedArtifact } from "./tracked-artifact.ts";

/** What the agent's record and the stream did not agree on. */
export type Gap = "replacement" | "unverified";

/** An event to yield; `gap`: it corrects earlier events, or could not be verified. */
export interface TrackedEvent {
  readonly event: StreamResponse;
  readonly gap?: Gap;
}

/**
 * All that one stream has yielded of its task, so that whatever comes next, from wherever, yields only what is
 * missing: pieces that repeat, snapshots that are longer, events after the end.
 */
export class TaskTracker {
  readonly #observer: ClientObserver;
  readonly #resumed: boolean;
  readonly #names: ArtifactNames;
  readonly #artifacts = new Map<string, TrackedArtifact>();
  readonly #closed = new Set<string>();
  readonly #headless = new Set<string>();
  #taskId: string;
  #contextId = "";
  #status: TaskStatus | undefined;
  #answered = false;
  #reconnected = false;
  #doubtful = false;

  /** `resumed`: the caller resumes from a cursor, and has seen the events before it. */
  constructor(observer: ClientObserver, { taskId = "", resumed = false } = {}) {
    this.#observer = observer;
    this.#taskId = taskId;
    this.#resumed = resumed;
    this.#names = new ArtifactNames((artifactId) => observer.artifactRepaired({ ...this.#task, artifactId }));
  }

  /** Empty until the agent has named it. */
  get taskId(): string {
    return this.#taskId;
  }

  get contextId(): string {
    return this.#contextId;
  }

  get state(): TaskState | undefined {
    return this.#status?.state;
  }

  /** Nothing more can come: the task has ended, or a message was the whole answer. */
  get isOver(): boolean {
    return this.#answered || (this.#status !== undefined && isTerminal(this.#status.state));
  }

  /** An artifact was begun after pieces that append to it: they came in another order than they were sent. */
  get isDoubtful(): boolean {
    return this.#doubtful;
  }

  named(taskId: string): void {
    this.#taskId = taskId;
  }

  /** Pieces may repeat from now on. */
  reconnected(): void {
    this.#reconnected = true;
    for (const artifact of this.#artifacts.values()) artifact.mayRepeat(true);
  }

  /** Nothing repeats from now on. */
  trustPieces(): void {
    this.#reconnected = false;
    for (const artifact of this.#artifacts.values()) artifact.mayRepeat(false);
  }

  needsRecord(event: StreamResponse): boolean {
    if (!("artifactUpdate" in event) || !event.artifactUpdate.append) return false;
    const artifact = this.#names.inPiece(event.artifactUpdate.artifact, true, this.#artifacts.size);
    return this.#artifacts.get(artifact.artifactId)?.needsRecord(artifact.parts) ?? false;
  }

  /** The agent's record of the task, to judge the next pieces by. */
  learn(task: Task): void {
    for (const { artifactId, parts } of this.#names.inTask(task.artifacts ?? [])) {
      this.#artifacts.get(artifactId)?.learn(parts);
    }
  }

  /** The events to yield for an event of the stream. */
  accept(event: StreamResponse): TrackedEvent[] {
    if (this.isOver) {
      this.#observer.lateEvent(this.#taskId);
      return [];
    }
    if (this.#isForeign(event)) {
      this.#observer.foreignEvent(this.#taskId);
      return [];
    }
    if ("message" in event) {
      this.#answered = this.#status === undefined && !this.#resumed;
      return [{ event }];
    }
    if ("task" in event)
      return this.#status || this.#resumed ? this.reconcile(event.task) : this.#first(event.task);
    if ("statusUpdate" in event) {
      const { statusUpdate: update } = event;
      this.#name(update.taskId, update.contextId);
      if (this.#reconnected && this.#isSame(update.status)) return [];
      this.#status = update.status;
      return [{ event: { statusUpdate: { ...update, ...this.#task } } }];
    }
    this.#name(event.artifactUpdate.taskId, event.artifactUpdate.contextId);
    return this.#piece(event.artifactUpdate);
  }

  /** The events to yield for a snapshot of the task; `final` when nothing will follow. */
  reconcile(task: Task, { final = isTerminal(task.status.state) } = {}): TrackedEvent[] {
    this.#name(task.id, task.contextId);
    const events = this.#names
      .inTask(task.artifacts ?? [])
      .flatMap((artifact) => this.#whole(artifact, final));
    if (this.isOver || this.#isSame(task.status)) return events;
    this.#status = task.status;
    const { metadata } = task;
    const statusUpdate = { ...this.#task, status: task.status, ...(metadata && { metadata }) };
    return [...events, { event: { statusUpdate } }];
  }

  #first(sent: Task): TrackedEvent[] {
    this.#name(sent.id, sent.contextId);
    this.#status = sent.status;
    const artifacts = this.#names.inTask(sent.artifacts ?? []);
    for (const { artifactId, parts } of artifacts) this.#track(artifactId, new TrackedArtifact(parts));
    return [{ event: { task: sent.artifacts ? { ...sent, artifacts } : sent } }];
  }

  #whole(artifact: Artifact, final: boolean): TrackedEvent[] {
    const { artifactId, parts } = artifact;
    const known = this.#artifacts.get(artifactId);
    if (known) return this.#outcome({ artifact }, known.whole(parts, { final }));
    this.#track(artifactId, new TrackedArtifact(parts));
    return this.#outcome({ artifact }, { kind: this.#resumed ? "replace" : "begin", parts });
  }

  #piece(update: TaskArtifactUpdate): TrackedEvent[] {
    const append = update.append ?? false;
    const artifact = this.#names.inPiece(update.artifact, append, this.#artifacts.size);
    const { artifactId, parts } = artifact;
    const known = this.#artifacts.get(artifactId);
    const named = { ...update, artifact };
    this.#doubtful ||= !append && this.#headless.has(artifactId);
    if (known) return this.#outcome(named, append ? known.append(parts) : known.begin(parts));
    if (append && this.#resumed) {
      this.#track(artifactId, new TrackedArtifact(parts, { partial: true }));
      return this.#outcome(named, { kind: "append", parts });
    }
    if (append) this.#observer.appendViolation({ ...this.#task, artifactId });
    if (append) this.#headless.add(artifactId);
    this.#track(artifactId, new TrackedArtifact(parts));
    return this.#outcome(named, { kind: "begin", parts });
  }

  #outcome(
    sent: Pick<TaskArtifactUpdate, "artifact"> & Partial<TaskArtifactUpdate>,
    outcome: PieceOutcome,
  ): TrackedEvent[] {
    const { artifact, append: _, ...rest } = sent;
    const fact = { taskId: this.#taskId, artifactId: artifact.artifactId };
    const closes = sent.lastChunk === true && !this.#closed.has(artifact.artifactId);
    if (outcome.kind === "repeated") this.#observer.repeatedPiece(fact);
    if (outcome.kind === "replace") this.#observer.replaced(fact);
    const parts = outcome.kind === "repeated" ? [] : outcome.parts;
    const append = outcome.kind === "append" || outcome.kind === "repeated";
    // Whole artifacts without new content, and repetitions, are yielded only if they close the artifact.
    const isEmpty = parts.length === 0 || (this.#reconnected && parts.every(({ text }) => text === ""));
    const isNews = outcome.kind !== "repeated" && !(append && isEmpty);
    if (!isNews && !closes) return [];
    if (closes) this.#closed.add(artifact.artifactId);
    const artifactUpdate = { ...rest, ...this.#task, artifact: { ...artifact, parts }, append };
    return [
      { event: { artifactUpdate }, ...(outcome.kind === "replace" && { gap: "replacement" as const }) },
    ];
  }

  #track(artifactId: string, artifact: TrackedArtifact): void {
    if (this.#reconnected) artifact.mayRepeat(true);
    this.#artifacts.set(artifactId, artifact);
  }

  #isForeign(event: StreamResponse): boolean {
    const id = taskIdIn(event);
    return id !== "" && this.#taskId !== "" && id !== this.#taskId;
  }

  #isSame({ state, message }: TaskStatus): boolean {
    return this.#status?.state === state && isDeepStrictEqual(this.#status.message, message);
  }

  #name(taskId: string, contextId: string): void {
    this.#taskId = taskId || this.#taskId;
    this.#contextId = contextId || this.#contextId;
  }

  get #task(): { readonly taskId: string; readonly contextId: string } {
    return { taskId: this.#taskId, contextId: this.#contextId };
  }
}

function taskIdIn(event: StreamResponse): string {
  if ("task" in event) return event.task.id;
  if ("message" in event) return "";
  return "statusUpdate" in event ? event.statusUpdate.taskId : event.artifactUpdate.taskId;
}
