import {
  type A2AClient,
  A2AError,
  type CallOptions,
  followTask,
  isInterrupted,
  type Message,
  OutcomeUnknownError,
  type StreamedEvent,
  type Task,
} from "@parley/a2a";
import { pause } from "@parley/journal";
import type { DelegationEntry } from "./delegation-log.ts";

export interface StreamRequest {
  readonly client: A2AClient;
  readonly message: Message;
  readonly known: DelegationEntry;
  /** The message may have been sent before, by an execution that was cut short. */
  readonly resumed: boolean;
  readonly signal: AbortSignal;
  readonly traceparent?: string | undefined;
}

type Events = AsyncGenerator<StreamedEvent, void, void>;

/**
 * The events of a delegation: begun, continued by a person's reply, or resumed where it was cut off. It is the client's
 * own stream, because a generator around it would cost every token more.
 */
export async function delegateStream(request: StreamRequest): Promise<Events> {
  const { client, message, known, resumed, signal, traceparent } = request;
  const { task, replied, delivered } = known;
  const key = known.began?.key ?? message.messageId;
  if (task !== undefined && replied && !delivered) {
    const messageId = `${key}/${known.questions ?? 1}`;
    return reply(request, task, { ...replied, messageId });
  }
  if (task !== undefined) return follow(request, task);
  const begun = resumed ? await findBegun(client, message, key) : undefined;
  if (begun !== undefined) return follow(request, begun);
  return client.stream({ message }, { signal, idempotencyKey: key, traceparent });
}

function follow({ client, signal }: StreamRequest, taskId: string): Events {
  return followTask(client, taskId, { signal, endsAtQuestion: true });
}

async function reply(
  request: StreamRequest,
  taskId: string,
  { messageId, parts, metadata }: Message,
): Promise<Events> {
  const { client, resumed, signal, message, known, traceparent } = request;
  if (resumed && !client.honoursIdempotencyKeys) {
    const task = await client.get({ id: taskId, historyLength: 10 }, { signal });
    // An agent that does not wait any more has got it, and so has one that asks the next question.
    if (!isInterrupted(task.status.state) || hasReceived(task, messageId)) return follow(request, taskId);
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

/** The task that an earlier execution began without recording it; undefined: it is safe to send. */
async function findBegun(client: A2AClient, message: Message, key: string): Promise<string | undefined> {
  if (client.honoursIdempotencyKeys) return undefined;
  try {
    return await findTask(client, message);
  } catch (error) {
    throw new OutcomeUnknownError(new URL(client.endpoint.url).origin, key, error);
  }
}

/** The task that a message began; undefined: there is none. Rejects where the agent cannot tell. */
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
      const found = tasks.find((task) => hasReceived(task, messageId));
      if (found) return found.id;
    }
    return undefined;
  } catch (error) {
    if (error instanceof A2AError && error.kind === "TaskNotFound") return undefined;
    throw error;
  }
}

function hasReceived({ history = [] }: Task, messageId: string): boolean {
  return history.some((message) => message.messageId === messageId);
}

/** A message that was cut off may still be on its way, so its task is looked for several times. */
const SEARCH_DELAYS_MS = [0, 200, 600];

type Cancellation = NonNullable<DelegationEntry["canceled"]>;

/** Asks a sub-agent to stop, also where its task is not known yet; never rejects. */
export async function cancelDelegate(
  client: A2AClient,
  { known, message, withinMs }: { known: DelegationEntry; message: Message; withinMs: number },
): Promise<Cancellation> {
  const began = performance.now();
  const deadline = new Date(Date.now() + withinMs);
  const result = (acknowledged: boolean, detail: string) => ({
    acknowledged,
    detail,
    ms: Math.round(performance.now() - began),
  });
  try {
    const id = known.task ?? (await searchTask(client, message, deadline));
    if (id === undefined) return result(false, "no task of it was found");
    const { status } = await client.cancel({ id }, { deadline });
    return result(true, status.state);
  } catch (error) {
    if (error instanceof A2AError && error.kind === "TaskNotCancelable") return result(true, "it had ended");
    return result(false, error instanceof Error ? error.message : String(error));
  }
}

async function searchTask(client: A2AClient, message: Message, deadline: Date): Promise<string | undefined> {
  for (const milliseconds of SEARCH_DELAYS_MS) {
    await pause(milliseconds, undefined);
    const found = await findTask(client, message, { deadline });
    if (found !== undefined) return found;
  }
  return undefined;
}
