import { type A2AClient, A2AError, type Message, OutcomeUnknownError, type StreamedEvent } from "@parley/a2a";
import type { DelegationEntry } from "./delegation-log.ts";

export interface StreamRequest {
  readonly client: A2AClient;
  readonly message: Message;
  /** What was recorded of it. */
  readonly known: DelegationEntry;
  /** Whether the message may have been sent before, by an execution that was cut short. */
  readonly resumed: boolean;
  readonly signal: AbortSignal;
}

const SETTLED = /_(COMPLETED|FAILED|CANCELED|REJECTED|INPUT_REQUIRED|AUTH_REQUIRED)$/;

type Events = AsyncGenerator<StreamedEvent, void, void>;

/**
 * What comes of a delegation: begun, gone on with by a person's reply, or taken up again where it was cut off. The
 * client's own stream and none around it, which would cost every token more.
 */
export async function delegateStream(request: StreamRequest): Promise<Events> {
  const { client, message, known, resumed, signal } = request;
  const { task, replied, delivered } = known;
  const key = known.began?.key ?? message.messageId;
  if (task !== undefined && replied && !delivered) return reply(request, task, replied, key);
  if (task !== undefined) return attached(client, task, signal);
  const begun = resumed ? await findBegun(client, message, key) : undefined;
  if (begun !== undefined) return attached(client, begun, signal);
  return client.stream({ message }, { signal, idempotencyKey: key });
}

/** The task as it is now, and then what happens to it. */
async function attached(client: A2AClient, taskId: string, signal: AbortSignal): Promise<Events> {
  const task = await client.get({ id: taskId }, { signal });
  return SETTLED.test(task.status.state) ? only({ event: { task } }) : client.subscribe(taskId, { signal });
}

async function* only(event: StreamedEvent): Events {
  yield event;
}

async function reply(
  { client, resumed, signal, message }: StreamRequest,
  taskId: string,
  said: Message,
  key: string,
): Promise<Events> {
  if (resumed && !client.honoursIdempotencyKeys) {
    const task = await client.get({ id: taskId }, { signal });
    const waits = /_(INPUT|AUTH)_REQUIRED$/.test(task.status.state);
    // Whoever does not wait any more has got it.
    if (!waits) return attached(client, taskId, signal);
  }
  const { contextId } = message;
  const { parts, metadata } = said;
  const sent: Message = {
    messageId: `${key}/${said.messageId}`,
    role: "ROLE_USER",
    parts,
    taskId,
    ...(contextId !== undefined && { contextId }),
    ...(metadata && { metadata }),
  };
  return client.stream({ message: sent }, { signal, idempotencyKey: sent.messageId });
}

/** The task that an earlier execution began and did not live to hear of; undefined means that it is safe to send. */
async function findBegun(client: A2AClient, message: Message, key: string): Promise<string | undefined> {
  if (client.honoursIdempotencyKeys) return undefined;
  try {
    if (client.endpoint.dialect === "0.1") return (await client.get({ id: key })).id;
    const { contextId = "" } = message;
    const { tasks } = await client.list({ contextId, historyLength: 10 });
    return tasks.find(({ history }) => history?.some(({ messageId }) => messageId === message.messageId))?.id;
  } catch (error) {
    if (error instanceof A2AError && error.kind === "TaskNotFound") return undefined;
    throw new OutcomeUnknownError(new URL(client.endpoint.url).origin, key, error);
  }
}
