import { randomUUID } from "node:crypto";
import { pause } from "@parley/journal";
import type { AgentEndpoint } from "../cards/card-endpoints.ts";
import type { DialectSendRequest, SendAnswer } from "../dialects/dialect.ts";
import type { SendRequest, Task } from "../protocol/model.ts";
import { isSettled } from "../tasks/task-states.ts";
import type { AgentConnection, RequestFor } from "./agent-connection.ts";
import { AgentResponseError, AgentUnreachableError, OutcomeUnknownError } from "./client-errors.ts";
import type { ClientObserver } from "./client-observer.ts";
import type { ClientLimits } from "./client-options.ts";
import { isTemporary, retrying, wasNotSent } from "./retrying.ts";
import { isUnknownState, PollClock } from "./streams/poll-clock.ts";
import type { OpenStream, ResumableStream, StreamedEvent } from "./streams/resumable-stream.ts";
import type { TaskTracker } from "./streams/task-tracker.ts";

export interface StreamedMessage {
  readonly request: SendRequest;
  readonly tracker: TaskTracker;
  readonly stream: ResumableStream;
  readonly signal: AbortSignal | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly traceparent?: string | undefined;
}

/** The statuses of an agent that did not look at the request at all. */
const NOT_TAKEN = new Set([429, 503]);

/**
 * Sends messages, each under a key of its own. A message whose fate is unknown is sent again only where that does
 * no harm: it never left, or the agent promises to do one key once.
 */
export class MessageSending {
  readonly #connection: AgentConnection;
  readonly #limits: ClientLimits;
  readonly #observer: ClientObserver;

  constructor(
    connection: AgentConnection,
    { limits, observer }: { readonly limits: ClientLimits; readonly observer: ClientObserver },
  ) {
    this.#connection = connection;
    this.#limits = limits;
    this.#observer = observer;
  }

  send(
    request: SendRequest,
    signal: AbortSignal | undefined,
    { idempotencyKey = randomUUID(), traceparent }: Pick<StreamedMessage, "idempotencyKey" | "traceparent">,
  ): Promise<SendAnswer> {
    const requestFor = withTaskId(request, idempotencyKey);
    const run = () => this.#connection.call("send", requestFor, { signal, idempotencyKey, traceparent });
    return this.#safely("send", run, { idempotencyKey, signal });
  }

  /** The task once the agent knows its state; AgentTimeoutError when it does not in time. */
  async known(
    sent: Task,
    get: (id: string) => Promise<Task>,
    signal: AbortSignal | undefined,
  ): Promise<Task> {
    const clock = new PollClock(this.#limits);
    let task = sent;
    while (isUnknownState(task)) {
      await pause(clock.next({ news: false, unknown: true }), signal);
      task = await get(task.id);
    }
    return task;
  }

  /** The events of the answer of an agent without streams: it is asked again and again. */
  async *poll({
    request,
    tracker,
    stream,
    signal,
    ...names
  }: StreamedMessage): AsyncGenerator<StreamedEvent, void, void> {
    // A task that waited for this message may still seem to wait for it, unless the agent answers when it is done.
    const returnImmediately = request.message.taskId === undefined;
    const configuration = { ...request.configuration, returnImmediately };
    const answer = await this.send({ ...request, configuration }, signal, names);
    yield* tracker.accept(answer);
    if ("task" in answer && !isSettled(answer.task.status.state)) yield* stream.poll();
  }

  /** The events of the answer; a v0.1 task has the id that we gave it, and is looked for when the answer is lost. */
  async *stream({
    request,
    tracker,
    stream,
    signal,
    idempotencyKey = randomUUID(),
    traceparent,
  }: StreamedMessage): AsyncGenerator<StreamedEvent, void, void> {
    const taskId = request.message.taskId ?? idempotencyKey;
    const requestFor = withTaskId(request, taskId);
    const { contextId } = request.message;
    const task = { id: taskId, ...(contextId !== undefined && { contextId }) };
    const open = async () => {
      const isNamed = this.#isNamedByUs || request.message.taskId !== undefined;
      const opened = this.#connection.open("stream", requestFor, {
        signal,
        idempotencyKey,
        traceparent,
        ...(isNamed && { task }),
      });
      return withFirst(opened, await this.#firstFrame(opened));
    };
    let opened: OpenStream;
    try {
      opened = await this.#safely("stream", open, { idempotencyKey, signal });
    } catch (error) {
      if (!(error instanceof OutcomeUnknownError) || !this.#isNamedByUs || signal?.aborted) throw error;
      tracker.named(taskId);
      opened = failed(error.cause);
    }
    try {
      yield* stream.events(opened);
    } catch (error) {
      throw tracker.state === undefined && !signal?.aborted ? this.#unknown(error, idempotencyKey) : error;
    }
  }

  get #isNamedByUs(): boolean {
    return this.#connection.endpoint.dialect === "0.1";
  }

  async #firstFrame(opened: OpenStream) {
    const first = await opened.frames.next();
    if (!first.done) return first;
    throw new AgentUnreachableError(this.#connection.origin, true, new Error("The stream had no event"));
  }

  async #safely<T>(
    operation: "send" | "stream",
    run: () => Promise<T>,
    { idempotencyKey, signal }: { readonly idempotencyKey: string; readonly signal: AbortSignal | undefined },
  ): Promise<T> {
    const policy = this.#limits.retry;
    let mayHaveArrived = false;
    const mayRepeat = (error: unknown) => {
      if (wasNotSent(error)) return true;
      mayHaveArrived ||= this.#isUnknown(error);
      return this.#connection.honoursIdempotencyKeys && isTemporary(error);
    };
    try {
      return await retrying(run, { operation, policy, observer: this.#observer, signal }, mayRepeat);
    } catch (error) {
      // A refused last attempt says nothing about the earlier ones.
      const isOpen = mayHaveArrived && isTemporary(error);
      throw isOpen ? this.#outcomeUnknown(error, idempotencyKey) : this.#unknown(error, idempotencyKey);
    }
  }

  #unknown(error: unknown, idempotencyKey: string): unknown {
    return this.#isUnknown(error) ? this.#outcomeUnknown(error, idempotencyKey) : error;
  }

  #isUnknown(error: unknown): boolean {
    const wasRefused = error instanceof AgentResponseError && NOT_TAKEN.has(error.status ?? 0);
    return isTemporary(error) && !wasNotSent(error) && !wasRefused;
  }

  #outcomeUnknown(error: unknown, idempotencyKey: string): OutcomeUnknownError {
    return new OutcomeUnknownError(this.#connection.origin, idempotencyKey, error);
  }
}

/** The request with the tenant of the endpoint, unless it names one. */
export function withTenant<R extends object>(request: R): (endpoint: AgentEndpoint) => R {
  return ({ tenant }) => (tenant === undefined ? request : { tenant, ...request });
}

// In v0.1 the caller names the task; everywhere else only the agent does.
function withTaskId(request: SendRequest, taskId: string): RequestFor<"send"> & RequestFor<"stream"> {
  return (endpoint): DialectSendRequest => {
    const sent = withTenant(request)(endpoint);
    if (endpoint.dialect !== "0.1" || request.message.taskId !== undefined) return sent;
    return { ...sent, message: { ...sent.message, taskId }, clientTaskId: true };
  };
}

function withFirst(opened: OpenStream, first: Awaited<ReturnType<OpenStream["frames"]["next"]>>): OpenStream {
  let isFirst = true;
  const next = () => {
    if (!isFirst) return opened.frames.next();
    isFirst = false;
    return Promise.resolve(first);
  };
  return { frames: { next }, close: () => opened.close() };
}

function failed(error: unknown): OpenStream {
  return { frames: { next: () => Promise.reject(error) }, close: () => undefined };
}
