import type { AgentCard } from "../cards/agent-card.ts";
import type { AgentEndpoint } from "../cards/card-endpoints.ts";
import { type CardReading, readCard } from "../cards/read-card.ts";
import type {
  OperationRequests,
  OperationResults,
  PushConfigPage,
  SendAnswer,
  UnaryOperation,
} from "../dialects/dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import type {
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  PushConfig,
  SendRequest,
  Task,
} from "../protocol/model.ts";
import { AgentCards, type DiscoveredAgent } from "./agent-cards.ts";
import { AgentConnection } from "./agent-connection.ts";
import { AgentTimeoutError } from "./client-errors.ts";
import { type ClientObserver, silentClientObserver } from "./client-observer.ts";
import {
  type A2AClientOptions,
  type CallOptions,
  type ClientLimits,
  type ConnectOptions,
  defaultClientLimits,
  type SendOptions,
  type SubscribeOptions,
} from "./client-options.ts";
import { MessageSending, type StreamedMessage, withTenant } from "./message-sending.ts";
import { retrying } from "./retrying.ts";
import { ResumableStream, type StreamedEvent } from "./streams/resumable-stream.ts";
import { TaskTracker } from "./streams/task-tracker.ts";

/** Speaks to one A2A agent, of any version, in our own model. */
export class A2AClient {
  readonly #agent: DiscoveredAgent;
  readonly #connection: AgentConnection;
  readonly #limits: ClientLimits;
  readonly #observer: ClientObserver;
  readonly #sending: MessageSending;
  readonly #resumeByCursor: boolean;

  constructor(agent: DiscoveredAgent, options: A2AClientOptions) {
    const limits = { ...defaultClientLimits, ...options.limits };
    const { observer = silentClientObserver, resumeByCursor = true } = options;
    this.#agent = agent;
    this.#limits = limits;
    this.#observer = observer;
    this.#resumeByCursor = resumeByCursor;
    this.#connection = new AgentConnection(agent, { ...options, limits, observer });
    this.#sending = new MessageSending(this.#connection, { limits, observer });
  }

  /** Finds the agent at its base URL, or at its card's, and makes a client for it. */
  static async connect(url: string, options: ConnectOptions): Promise<A2AClient> {
    const cards = options.cards ?? new AgentCards(options);
    const { trust } = options;
    const agent = await withSignal(options, (signal) => cards.find(url, { signal, trust }));
    return new A2AClient(agent, options);
  }

  get agent(): DiscoveredAgent {
    return this.#agent;
  }

  get card(): AgentCard {
    return this.#agent.card;
  }

  /** The endpoint that is used now: the first of the card that turned out to work. */
  get endpoint(): AgentEndpoint {
    return this.#connection.endpoint;
  }

  /** Whether a message that is sent twice with one key is done once. */
  get honoursIdempotencyKeys(): boolean {
    return this.#connection.honoursIdempotencyKeys;
  }

  /** Sends a message and waits for the answer; OutcomeUnknownError when it may have arrived all the same. */
  send(request: SendRequest, options: SendOptions = {}): Promise<SendAnswer> {
    return withSignal(options, async (signal) => {
      const answer = await this.#sending.send(request, signal, options);
      if (!("task" in answer)) return answer;
      const get = (id: string) => this.#retried("get", { id }, signal);
      return { task: await this.#sending.known(answer.task, get, signal) };
    });
  }

  /**
   * Sends a message and yields what comes of it, each character once, over as many connections as it takes, until
   * the task has ended or asks for input. An agent without streams is asked again and again instead.
   */
  async *stream(request: SendRequest, options: SendOptions = {}): AsyncGenerator<StreamedEvent, void, void> {
    using call = callSignal(options);
    const { signal } = call;
    const tracker = new TaskTracker(this.#observer);
    const stream = this.#follow(tracker, signal, { subscribed: false });
    const { idempotencyKey, traceparent } = options;
    const message = { request, tracker, stream, signal, idempotencyKey, traceparent };
    const refused = this.card.capabilities.streaming ? yield* this.#streamed(message) : true;
    if (refused) yield* this.#sending.poll(message);
  }

  /** Yields what happens to a task from now on, or after a cursor, until it has ended. */
  async *subscribe(
    taskId: string,
    options: SubscribeOptions = {},
  ): AsyncGenerator<StreamedEvent, void, void> {
    const { after } = options;
    using call = callSignal(options);
    const tracker = new TaskTracker(this.#observer, { taskId, resumed: after !== undefined });
    const stream = this.#follow(tracker, call.signal, { subscribed: true, cursor: after });
    if (!this.card.capabilities.streaming) yield* stream.poll();
    else yield* stream.events(this.#open(taskId, after, call.signal));
  }

  get(request: GetTaskRequest, options: CallOptions = {}): Promise<Task> {
    return this.#read("get", request, options);
  }

  list(request: ListTasksRequest = {}, options: CallOptions = {}): Promise<ListTasksResponse> {
    return this.#read("list", request, options);
  }

  /** Asks the agent to stop; TaskNotCancelable when the task has ended. */
  cancel(request: OperationRequests["cancel"], options: CallOptions = {}): Promise<Task> {
    return this.#once("cancel", request, options);
  }

  createPush(request: OperationRequests["createPush"], options: CallOptions = {}): Promise<PushConfig> {
    return this.#once("createPush", request, options);
  }

  getPush(request: OperationRequests["getPush"], options: CallOptions = {}): Promise<PushConfig> {
    return this.#read("getPush", request, options);
  }

  listPush(request: OperationRequests["listPush"], options: CallOptions = {}): Promise<PushConfigPage> {
    return this.#read("listPush", request, options);
  }

  deletePush(request: OperationRequests["deletePush"], options: CallOptions = {}): Promise<void> {
    return this.#once("deletePush", request, options);
  }

  /** The card that the agent shows to callers it knows. */
  async extendedCard(options: CallOptions = {}): Promise<CardReading> {
    if (!this.card.capabilities.extendedAgentCard) {
      throw new A2AError("UnsupportedOperation", "The agent's card declares no extended card");
    }
    return readCard(await this.#read("extendedCard", {}, options), this.#agent.cardUrl);
  }

  /** True: the agent has no streams, whatever its card says. */
  async *#streamed(message: StreamedMessage): AsyncGenerator<StreamedEvent, boolean, void> {
    try {
      yield* this.#sending.stream(message);
      return false;
    } catch (error) {
      const isUnknown = error instanceof A2AError && error.kind === "MethodNotFound";
      if (!isUnknown || message.tracker.state !== undefined) throw error;
      this.#observer.notStreamed(this.#connection.origin);
      return true;
    }
  }

  #follow(
    tracker: TaskTracker,
    signal: AbortSignal | undefined,
    { subscribed, cursor }: { readonly subscribed: boolean; readonly cursor?: string | undefined },
  ): ResumableStream {
    const peer = {
      get: (id: string) => this.#retried("get", { id, historyLength: 0 }, signal),
      subscribe: (id: string, after: string | undefined) => this.#open(id, after, signal, tracker.contextId),
    };
    return new ResumableStream({
      tracker,
      peer,
      signal,
      subscribed,
      cursor,
      limits: this.#limits,
      observer: this.#observer,
      resumeByCursor: this.#resumeByCursor,
    });
  }

  #open(id: string, after: string | undefined, signal: AbortSignal | undefined, contextId = "") {
    const task = { id, ...(contextId !== "" && { contextId }) };
    return this.#connection.open("subscribe", withTenant<{ id: string }>({ id }), { signal, after, task });
  }

  #read<O extends UnaryOperation>(
    operation: O,
    request: OperationRequests[O],
    options: CallOptions,
  ): Promise<OperationResults[O]> {
    return withSignal(options, (signal) => this.#retried(operation, request, signal));
  }

  #retried<O extends UnaryOperation>(
    operation: O,
    request: OperationRequests[O],
    signal: AbortSignal | undefined,
  ): Promise<OperationResults[O]> {
    const run = () => this.#call(operation, request, signal);
    return retrying(run, { operation, policy: this.#limits.retry, observer: this.#observer, signal });
  }

  #once<O extends UnaryOperation>(
    operation: O,
    request: OperationRequests[O],
    options: CallOptions,
  ): Promise<OperationResults[O]> {
    return withSignal(options, (signal) => this.#call(operation, request, signal));
  }

  async #call<O extends UnaryOperation>(
    operation: O,
    request: OperationRequests[O],
    signal: AbortSignal | undefined,
  ): Promise<OperationResults[O]> {
    if (operation.endsWith("Push") && !this.card.capabilities.pushNotifications)
      throw new A2AError("PushNotificationNotSupported", "The agent's card declares no push notifications");
    return this.#connection.call(operation, withTenant(request), { signal });
  }
}

/** The signal of one call, aborted by the caller's own or at its deadline; disposing forgets the deadline. */
function callSignal({ signal, deadline }: CallOptions) {
  if (!deadline) return { signal, [Symbol.dispose]() {} };
  const passed = new AbortController();
  const milliseconds = Math.max(0, deadline.getTime() - Date.now());
  const giveUp = () => passed.abort(new AgentTimeoutError("The deadline of the call has passed"));
  // A timer cannot count further than this; nobody waits 24 days for an answer.
  const timer = setTimeout(giveUp, Math.min(milliseconds, 2_147_483_647)).unref();
  const both = signal ? AbortSignal.any([signal, passed.signal]) : passed.signal;
  return { signal: both, [Symbol.dispose]: () => clearTimeout(timer) };
}

async function withSignal<T>(
  options: CallOptions,
  run: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  using call = callSignal(options);
  return await run(call.signal);
}
