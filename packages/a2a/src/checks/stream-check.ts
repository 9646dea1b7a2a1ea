import { ArtifactTexts } from "./artifact-texts.ts";
import { type ReadArtifact, type ReadEvent, readEvent } from "./read-event.ts";
import type { SseFrame } from "./sse-splitter.ts";
import type { CheckedDialect, Rule, StreamReport } from "./stream-report.ts";

/** What is known of a stream before its first event. */
export interface StreamCheckOptions {
  readonly request: string;
  /** The stream resumes after a cursor: it has no task first, and extends artifacts of an earlier stream. */
  readonly isResumed: boolean;
  /** The artifacts of the tasks whose streams were checked, by task. */
  readonly tasks: Map<string, ArtifactTexts>;
  readonly report: (rule: Rule, event: number, detail: string) => void;
}

/** States are many where tokens travel as statuses: only changes are kept. */
const MAX_STATES = 1_000;

/** Checks one stream, event by event, as it passes. */
export class StreamCheck {
  readonly #options: StreamCheckOptions;
  readonly #states: string[] = [];
  #texts = new ArtifactTexts();
  /** Where the stream begins is known, so that all of its artifacts are. */
  #isWhole = true;
  #dialect: CheckedDialect | undefined;
  #taskId: string | undefined;
  #contextId: string | undefined;
  #index = 0;
  #events = 0;
  #sawTask = false;
  #isFinal = false;
  #end: StreamReport["end"] = "open";

  constructor(options: StreamCheckOptions) {
    this.#options = options;
  }

  see({ id, data }: SseFrame, time: number): void {
    this.#events++;
    const event = readEvent(data);
    if (event.kind === "unreadable") this.#wrong("unreadable", event.detail);
    else if (this.#isFinal) this.#wrong("after-final", `${event.kind} after the end`);
    else if (event.kind === "error") this.#isFinal = true;
    else this.#event(event, { time, index: this.#numbered(id) });
  }

  close(end: "closed" | "broken" | "left"): void {
    this.#end = end;
    const state = this.#states.at(-1);
    const isDone = this.#isFinal || (state !== undefined && isSettledState(state));
    if (end === "closed" && !isDone) this.#wrong("no-final-status", `the last state is ${state}`);
  }

  report(): StreamReport {
    return {
      request: this.#options.request,
      dialect: this.#dialect,
      taskId: this.#taskId,
      events: this.#events,
      states: [...this.#states],
      texts: this.#texts.texts(),
      artifacts: this.#texts.artifacts(),
      end: this.#end,
      overflowed: this.#texts.overflowed,
    };
  }

  #event(event: InTask | Extract<ReadEvent, { kind: "message" }>, at: Moment): void {
    this.#dialect ??= event.dialect;
    if (event.dialect !== this.#dialect) this.#wrong("mixed-dialects", `${event.dialect}`);
    if (event.kind === "message") this.#message();
    else if (this.#isOwn(event)) this.#inTask(event, at);
  }

  #message(): void {
    if (this.#events > 1) this.#wrong("task-first", "a message is the only event of its stream");
    this.#isFinal = true;
  }

  #numbered(id: string | undefined): number | undefined {
    if (id === undefined || !/^\d+$/.test(id)) return undefined;
    const index = Number(id);
    if (index <= this.#index) this.#wrong("index-not-rising", `${id} after ${this.#index}`);
    else this.#index = index;
    return index;
  }

  #isOwn({ taskId, contextId, kind }: InTask): boolean {
    if (this.#taskId === undefined) this.#begin(taskId);
    if (taskId !== undefined && taskId === this.#taskId) {
      this.#contextId ??= contextId;
      if (contextId !== undefined && contextId !== this.#contextId)
        this.#wrong("other-context", `a ${kind} of the context ${contextId}`);
      return true;
    }
    this.#wrong("other-task", taskId === undefined ? `a ${kind} of no task` : `a ${kind} of ${taskId}`);
    return false;
  }

  #begin(taskId: string | undefined): void {
    this.#taskId = taskId;
    if (taskId === undefined) return;
    const { tasks, isResumed, request } = this.#options;
    const known = isResumed ? tasks.get(taskId) : undefined;
    if (known) this.#texts = known;
    // v0.1 has no task in its streams that could say what came before.
    else if (isResumed || (this.#dialect === "0.1" && request === "tasks/resubscribe")) this.#isWhole = false;
    tasks.delete(taskId);
    tasks.set(taskId, this.#texts);
  }

  #inTask(event: InTask, at: Moment): void {
    const isFirst = this.#dialect === "0.1" ? event.kind === "status" : event.kind === "task";
    if (!this.#sawTask && !this.#options.isResumed) {
      if (!isFirst) this.#wrong("task-first", `a ${event.kind} is the first event`);
    } else if (event.kind === "task") this.#wrong("task-twice", `the task again, ${event.state}`);
    const isSnapshot = !this.#sawTask && isFirst;
    this.#sawTask = true;
    if (event.kind !== "artifact") this.#state(event.state, isSnapshot);
    if (event.kind === "status") this.#status(event.state, event.final, isSnapshot);
    else if (!this.#isRepeated(at.index))
      for (const piece of event.kind === "task" ? event.artifacts : [event.artifact])
        this.#piece(piece, at.time);
  }

  /** Another stream of the task has shown it. */
  #isRepeated(index: number | undefined): boolean {
    if (index === undefined) return false;
    if (index <= this.#texts.index) return true;
    this.#texts.index = index;
    return false;
  }

  #state(state: string, isSnapshot: boolean): void {
    const before = this.#states.at(-1);
    // v0.1 writes an ended task as a status, its artifacts, and the same status again.
    const isEnd =
      this.#dialect === "0.1" && this.#states.length === 1 && before === state && isSettledState(state);
    if (!isEnd && !mayFollow(isSnapshot ? undefined : before, state))
      this.#wrong("illegal-state", `${state} after ${before}`);
    if (state !== before && this.#states.length < MAX_STATES) this.#states.push(state);
  }

  #status(state: string, final: boolean | undefined, isSnapshot: boolean): void {
    const mustSay = this.#dialect !== "1.0";
    if (mustSay && (final ?? false) !== isSettledState(state) && !isSnapshot)
      this.#wrong("final-flag", `${state} with final ${final}`);
    this.#isFinal = mustSay ? final === true : isOver(state);
    if (this.#isFinal && this.#isWhole)
      for (const detail of this.#texts.differingSnapshots()) this.#wrong("snapshot-differs", detail);
  }

  #piece(artifact: ReadArtifact, time: number): void {
    const { artifactId, name = "" } = artifact;
    if (artifactId === undefined) {
      this.#wrong("artifact-without-id", name);
      return;
    }
    const wrong = this.#texts.take(artifactId, artifact, time);
    if (wrong && (this.#isWhole || wrong !== "append-to-nothing"))
      this.#wrong(wrong, `${name} ${artifactId}`.trim());
  }

  #wrong(rule: Rule, detail: string): void {
    this.#options.report(rule, this.#events, detail);
  }
}

type InTask = Extract<ReadEvent, { readonly taskId: string | undefined }>;

interface Moment {
  readonly time: number;
  readonly index: number | undefined;
}

const OVER = ["completed", "failed", "canceled", "rejected"];
const WAITING = ["input-required", "auth-required"];

/** What may follow a state in a stream; a terminal state is followed by none. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  submitted: ["working", "failed", "canceled", "rejected"],
  working: ["working", ...WAITING, ...OVER],
  "input-required": ["working", "failed", "canceled"],
  "auth-required": ["working", "failed", "canceled"],
  ...Object.fromEntries(OVER.map((state) => [state, []])),
};

/** Whether there is such a state, and it may follow the one before; the first may be any. */
function mayFollow(before: string | undefined, state: string): boolean {
  return Object.hasOwn(NEXT, state) && (before === undefined || NEXT[before]?.includes(state) === true);
}

/** For good. */
export function isOver(state: string): boolean {
  return OVER.includes(state);
}

/** Over, or waiting for its caller. */
export function isSettledState(state: string): boolean {
  return isOver(state) || WAITING.includes(state);
}
