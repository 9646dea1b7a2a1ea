import { isDeepStrictEqual } from "node:util";
import { pause } from "@parley/journal";
import { A2AError } from "../../protocol/errors.ts";
import type { StreamResponse, Task } from "../../protocol/model.ts";
import { isInterrupted, isSettled } from "../../tasks/task-states.ts";
import { AgentResponseError, StreamLostError } from "../client-errors.ts";
import type { ClientObserver } from "../client-observer.ts";
import type { ClientLimits } from "../client-options.ts";
import { delayAfter, isTemporary } from "../retrying.ts";
import type { StreamFrame } from "../transports/transport.ts";
import { isUnknownState, PollClock } from "./poll-clock.ts";
import { StreamCursor } from "./stream-cursor.ts";
import { TaskRecord } from "./task-record.ts";
import type { Gap, TaskTracker, TrackedEvent } from "./task-tracker.ts";

/** An event of a stream, the cursor to resume after it, and its anomalies. */
export interface StreamedEvent {
  readonly event: StreamResponse;
  /** If the agent sends cursors: `subscribe` resumes after it, in another process too. */
  readonly cursor?: string;
  /** The event corrects what was yielded before (`replacement`), or could not be checked (`unverified`). */
  readonly gap?: Gap;
}

/** A connection that is being read; `close` ends it at once. */
export interface OpenStream {
  readonly frames: AsyncIterator<StreamFrame>;
  close(): void;
}

interface StreamPeer {
  /** Takes the task's stream up again, after a cursor or from a snapshot; nothing is sent before the first read. */
  subscribe(taskId: string, after: string | undefined): OpenStream;
  get(taskId: string): Promise<Task>;
}

export interface ResumableStreamOptions {
  readonly tracker: TaskTracker;
  readonly peer: StreamPeer;
  readonly limits: ClientLimits;
  readonly observer: ClientObserver;
  readonly signal: AbortSignal | undefined;
  readonly cursor?: string | undefined;
  /** Off: the agent's cursors are only passed on. */
  readonly resumeByCursor: boolean;
  /** The task is there already, and is followed to its end, not only until it asks for input. */
  readonly subscribed: boolean;
}

/** Streams that the agent closes without news, one after the other, until the task is polled instead. */
const EMPTY_STREAMS = 3;
/** The answers of an agent that has the task but does not stream it. */
const NOT_STREAMED = new Set<A2AError["kind"]>(["UnsupportedOperation", "MethodNotFound", "TaskNotFound"]);

/** The stream of a task over as many connections as it takes; every event is yielded once. */
export class ResumableStream {
  readonly #options: ResumableStreamOptions;
  readonly #cursor: StreamCursor;
  readonly #record: TaskRecord;
  #attempt = 0;
  #firstFailure: unknown;
  #started: boolean;
  /** Taken up from a snapshot, maybe doubled or out of order: before its end the stream is compared with the agent's record. */
  #unsure = false;
  #last: StreamResponse | undefined;

  constructor(options: ResumableStreamOptions) {
    this.#options = options;
    const { tracker, peer, limits, signal } = options;
    const get = (taskId: string) => peer.get(taskId);
    this.#cursor = new StreamCursor(options.cursor);
    this.#record = new TaskRecord({ tracker, get, patience: limits.reconnect, signal });
    this.#started = options.subscribed;
  }

  /** Reads this connection and those that it takes after it, until the task is settled. */
  async *events(open: OpenStream): AsyncGenerator<StreamedEvent, void, void> {
    const { tracker } = this.#options;
    let stream = open;
    let resumed = this.#cursor.last !== undefined;
    for (;;) {
      const failure = yield* this.#read(stream, resumed);
      if (this.#isFinished(failure)) return;
      if (failure === undefined && resumed) {
        const { artifacts: _, ...task } = await this.#record.get();
        // Nothing follows the cursor, and nothing will: only how it ended may be news.
        if (isSettled(task.status.state)) return yield* tracker.reconcile(task);
      }
      this.#firstFailure ??= failure;
      if (failure instanceof A2AError && !(resumed && failure.kind === "InvalidParams")) {
        const isRefused = !this.#started && failure === this.#firstFailure;
        if (isRefused) throw failure;
        return yield* this.#afterRefusal(failure);
      }
      // The agent no longer knows the cursor; its snapshot is the current state.
      if (failure instanceof A2AError) this.#cursor.forgotten();
      if (failure === undefined && this.#attempt >= EMPTY_STREAMS) return yield* this.poll();
      await this.#beforeReconnect(failure);
      resumed = this.#options.resumeByCursor && this.#cursor.last !== undefined;
      if (resumed) this.#cursor.resumed();
      else tracker.reconnected();
      // A caller that resumes from its own cursor has seen events that we have not, and compares itself.
      this.#unsure ||= !resumed || this.#options.cursor === undefined;
      this.#record.reconnected();
      stream = this.#options.peer.subscribe(tracker.taskId, resumed ? this.#cursor.last : undefined);
    }
  }

  /** Polls the task and yields what is new, until it is settled. */
  async *poll(): AsyncGenerator<StreamedEvent, void, void> {
    const { tracker, peer, limits, signal } = this.#options;
    const clock = new PollClock(limits);
    for (;;) {
      const task = await peer.get(tracker.taskId);
      const news = tracker.reconcile(task);
      yield* news;
      if (isSettled(task.status.state)) return;
      await pause(clock.next({ news: news.length > 0, unknown: isUnknownState(task) }), signal);
    }
  }

  /** Reads one connection to its end, and returns why it ended; undefined when the agent closed it. */
  async *#read(stream: OpenStream, resumed: boolean): AsyncGenerator<StreamedEvent, unknown, void> {
    const { tracker, limits, signal } = this.#options;
    const since = performance.now();
    let isFirst = true;
    try {
      for (;;) {
        const { done, value: frame } = await stream.frames.next();
        if (done) return undefined;
        // A message to a task that waited for it is answered first with the task as it was.
        const wasBefore = !this.#started && frame.events.some((event) => "task" in event);
        for (const [place, event] of frame.events.entries()) {
          const wantsSnapshot = isFirst && this.#unsure && !resumed && !("task" in event);
          // An agent may send cursors and know nothing of `Last-Event-ID`.
          if (isFirst && resumed && "task" in event) tracker.reconnected();
          const before = wantsSnapshot ? tracker.reconcile(await this.#record.get(), { final: false }) : [];
          const accepted = await this.#accept(event, frame.id);
          const news = before.length > 0 ? [...before, ...accepted] : accepted;
          isFirst = false;
          this.#started = true;
          if (news.length > 0) this.#attempt = 0;
          const cursor = place === frame.events.length - 1 ? frame.id : undefined;
          for (const [number, one] of news.entries())
            yield cursor !== undefined && number === news.length - 1 ? { ...one, cursor } : one;
        }
        this.#cursor.confirm(frame.id);
        if (tracker.isOver) return await drainLate(stream, tracker, limits.late);
        const asks = tracker.state === "TASK_STATE_INPUT_REQUIRED" && !wasBefore;
        if (asks && !this.#options.subscribed) return undefined;
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      const isKnown = tracker.taskId !== "" && (error instanceof A2AError || isTemporary(error));
      if (!isKnown) throw error;
      return error;
    } finally {
      stream.close();
      // A connection that held for long was a good one, whatever it brought.
      if (performance.now() - since > limits.reconnect.maxDelayMs) this.#attempt = 0;
    }
  }

  async #accept(event: StreamResponse, cursor: string | undefined): Promise<TrackedEvent[]> {
    const { tracker } = this.#options;
    // Without cursors, a piece that comes twice in a row may be the same one: the record will tell.
    if (cursor === undefined)
      this.#unsure ||= "artifactUpdate" in event && isDeepStrictEqual(event, this.#last);
    this.#last = event;
    const wasSeen = this.#cursor.wasSeen(event);
    if (!wasSeen && tracker.needsRecord(event)) await this.#record.consult();
    // Only now: without the record, the event would have to be repeated.
    if (cursor === undefined) this.#cursor.seen(event);
    if (wasSeen) return [];
    const events = tracker.accept(event);
    this.#unsure ||= tracker.isDoubtful;
    const isBare = "task" in event && (event.task.artifacts ?? []).length === 0;
    if (!tracker.isOver || !(this.#unsure || isBare)) return events;
    const missing = await this.#record.missing();
    return missing ? [...missing, ...events] : events.map((it) => ({ ...it, gap: "unverified" }));
  }

  #isFinished(failure: unknown): boolean {
    const { tracker } = this.#options;
    if (tracker.isOver) return true;
    return failure === undefined && tracker.state !== undefined && isInterrupted(tracker.state);
  }

  /** After the agent refused to stream the task or failed: its record has the task's state. */
  async *#afterRefusal(error: A2AError): AsyncGenerator<StreamedEvent, void, void> {
    const { tracker } = this.#options;
    const task = await this.#record.get().catch((unknown: unknown) => {
      // The task with our chosen id never existed: the reason why its message was lost is the better error.
      throw this.#started ? unknown : this.#firstFailure;
    });
    yield* tracker.reconcile(task);
    if (isSettled(task.status.state)) return;
    if (!NOT_STREAMED.has(error.kind)) throw error;
    yield* this.poll();
  }

  async #beforeReconnect(failure: unknown): Promise<void> {
    const { tracker, limits, observer, signal, resumeByCursor } = this.#options;
    const { taskId } = tracker;
    const attempt = ++this.#attempt;
    const error = failure ?? new Error("The agent closed the stream before the task had ended");
    if (taskId === "") throw new AgentResponseError("The agent", "a stream that names no task");
    if (attempt > limits.reconnect.tries) throw new StreamLostError(taskId, this.#cursor.last, error);
    const by = resumeByCursor && this.#cursor.last !== undefined ? "cursor" : "snapshot";
    observer.reconnecting({ taskId, attempt, by, error });
    await pause(delayAfter(error, limits.reconnect, attempt), signal);
  }
}

/** Reads on for a moment after the end, so that late events are counted. */
async function drainLate(stream: OpenStream, tracker: TaskTracker, milliseconds: number): Promise<void> {
  const timer = setTimeout(() => stream.close(), milliseconds);
  try {
    for (;;) {
      const { done, value: frame } = await stream.frames.next();
      if (done) return;
      if (tracker.isOver) for (const event of frame.events) tracker.accept(event);
    }
  } catch {
    // However the connection ends now, the task's end has been yielded.
  } finally {
    clearTimeout(timer);
  }
}
