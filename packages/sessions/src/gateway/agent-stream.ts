import {
  type A2AClient,
  A2AError,
  followTask,
  isInterrupted,
  type Message,
  type StreamedEvent,
} from "@parley/a2a";

/** The agent may have the message: it does not list its tasks. */
export class MaybeBegunError extends Error {
  constructor(agent: string) {
    super(
      `Whether ${agent} has the message is not known, because the connection broke: look there, then retry`,
    );
  }
}

/** Sends an answer, or follows the task if days later it does not wait any more. */
export async function* replied(
  client: A2AClient,
  message: Message & { readonly taskId: string },
  { signal, cursor }: { readonly signal: AbortSignal; readonly cursor?: string | undefined },
): AsyncGenerator<StreamedEvent, void, void> {
  const { taskId, messageId } = message;
  const { status } = await client.get({ id: taskId, historyLength: 0 }, { signal });
  if (isInterrupted(status.state)) yield* client.stream({ message }, { signal, idempotencyKey: messageId });
  else yield* followTask(client, taskId, { signal, cursor });
}

/** The task that this message began before the connection was lost; undefined: it is safe to send. */
export async function findBegun(
  client: A2AClient,
  { messageId, contextId = "" }: Message,
  signal: AbortSignal,
): Promise<string | undefined> {
  // The same key joins the task that it began.
  if (client.honoursIdempotencyKeys) return undefined;
  try {
    if (client.endpoint.dialect === "0.1") return (await client.get({ id: messageId }, { signal })).id;
    const { tasks } = await client.list({ contextId, historyLength: 10 }, { signal });
    // A run's context is its own.
    return tasks[0]?.id;
  } catch (error) {
    if (!(error instanceof A2AError)) throw error;
    if (error.kind === "TaskNotFound") return undefined;
    throw new MaybeBegunError(client.card.name);
  }
}
