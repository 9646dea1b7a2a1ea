import {
  type A2AClient,
  A2AError,
  type CallOptions,
  type Message,
  OutcomeUnknownError,
  type StreamedEvent,
  type Task,
} from "@parley/a2a";
import type { DelegationEntry } from "./delegation-log.ts";

export interface StreamRequest {
  readonly client: A2AClient;
  readonly message: Message;
  readonly known: DelegationEntry;
  /** Whether the message may have been sent before, by an execution that was cut short. */
  readonly resumed: boolean;
  readonly signal: AbortSignal;
  /** The place in a trace from which it is asked. */
  readonly traceparent?: string | undefined;
}

const SETTLED = /_(COMPLETED|FAILED|CANCELED|REJECTED|INPUT_REQUIRED|AUTH_REQUIRED)$/;

type Events = AsyncGenerator<StreamedEvent, void, void>;

/**
 * What comes of a delegation: begun, gone on with by a person's reply, or taken up again where it was cut off. The
 * client's own stream and none around it, which would cost every token more.
 */
export async function delegateStream(request: StreamRequest): Promise<Events> {
  const { client, message, known, resumed, signal, traceparent } = request;
  const { task, replied, delivered } = known;
  const key = known.began?.key ?? message.messageId;
  if (task !== undefined && replied && !delivered) {
    const messageId = `${key}/${known.questions ?? 1}`;
    return reply(request, task, { ...replied, messageId });
  }
  if (task !== undefined) return attached(client, task, signal);
  const begun = resumed ? await findBegun(client, message, key) : undefined;
  if (begun !== undefined) return attached(client, begun, signal);
  return client.stream({ message }, { signal, idempotencyKey: key, traceparent });
}

/** The task as it is now, then what happens to it, and in the end as it is then: not every agent tells all of it. */
async function* attached(client: A2AClient, taskId: string, signal: AbortSignal): Events {
  const task = await client.get({ id: taskId }, { signal });
  yield { event: { task } };
  if (SETTLED.test(task.status.state)) return;
  for await (const streamed of client.subscribe(taskId, { signal })) {
    yield streamed;
    // A stream that was subscribed to stays open while the agent waits for an answer.
    if (SETTLED.test(stateIn(streamed) ?? "")) break;
  }
  if (!client.honoursIdempotencyKeys) yield { event: { task: await client.get({ id: taskId }, { signal }) } };
}

function stateIn({ event }: StreamedEvent): string | undefined {
  if ("task" in event) return event.task.status.state;
  return "statusUpdate" in event ? event.statusUpdate.status.state : undefined;
}

async function reply(
  { client, resumed, signal, message, known, traceparent }: StreamRequest,
  taskId: string,
  { messageId, parts, metadata }: Message,
): Promise<Events> {
  if (resumed && !client.honoursIdempotencyKeys) {
    const task = await client.get({ id: taskId, historyLength: 10 }, { signal });
    const waits = /_(INPUT|AUTH)_REQUIRED$/.test(task.status.state);
    // Whoever does not wait any more has got it, and so has who asks the next thing.
    if (!waits || hasHeard(task, messageId)) return attached(client, taskId, signal);
  }
  // An agent may have chosen another context than ours.
  const { contextId = message.contextId } = known;
  const sent: Message = {
    messageId,
    role: "ROLE_USER",
    parts,
    taskId,
    ...(contextId !== undefined && { contextId }),
    ...(metadata && { metadata }),
  };
  return client.stream({ message: sent }, { signal, idempotencyKey: messageId, traceparent });
}

/** The task that an earlier execution began and did not live to hear of; undefined means that it is safe to send. */
async function findBegun(client: A2AClient, message: Message, key: string): Promise<string | undefined> {
  if (client.honoursIdempotencyKeys) return undefined;
  try {
    return await findTask(client, message);
  } catch (error) {
    throw new OutcomeUnknownError(new URL(client.endpoint.url).origin, key, error);
  }
}

/** The task that a message has led to; undefined: there is none. Rejects where the agent cannot tell. */
export async function findTask(
  client: A2AClient,
  message: Message,
  options: CallOptions = {},
): Promise<string | undefined> {
  const { messageId, contextId = "" } = message;
  try {
    // In v0.1 we name the task, by the message's key.
    if (client.endpoint.dialect === "0.1") return (await client.get({ id: messageId }, options)).id;
    // In our context, or in one that the agent has chosen.
    for (const where of [{ contextId }, {}]) {
      const { tasks } = await client.list({ ...where, historyLength: 10 }, options);
      const found = tasks.find((task) => hasHeard(task, messageId));
      if (found) return found.id;
    }
    return undefined;
  } catch (error) {
    if (error instanceof A2AError && error.kind === "TaskNotFound") return undefined;
    throw error;
  }
}

function hasHeard({ history = [] }: Task, messageId: string): boolean {
  return history.some((message) => message.messageId === messageId);
}
