import { type A2AClient, A2AError, type Message, type StreamedEvent } from "@parley/a2a";

const SETTLED = /_(COMPLETED|FAILED|CANCELED|REJECTED|INPUT_REQUIRED|AUTH_REQUIRED)$/;

const WAITS = /_(INPUT|AUTH)_REQUIRED$/;

/** Nobody can tell whether the agent has the message: it does not say which tasks it has. */
export class MaybeBegunError extends Error {
  constructor(agent: string) {
    super(
      `Whether ${agent} has the message is not known, because the connection broke: look there, then retry`,
    );
  }
}

/** What happens to a task that is known: after the cursor, or the task as it is now and then on. */
export async function* attached(
  client: A2AClient,
  taskId: string,
  { signal, cursor }: { readonly signal: AbortSignal; readonly cursor?: string | undefined },
): AsyncGenerator<StreamedEvent, void, void> {
  if (cursor !== undefined) return yield* client.subscribe(taskId, { signal, after: cursor });
  const task = await client.get({ id: taskId, historyLength: 0 }, { signal });
  yield { event: { task } };
  if (SETTLED.test(task.status.state)) return;
  yield* client.subscribe(taskId, { signal });
  // Not every agent tells all of it.
  if (!client.honoursIdempotencyKeys) yield { event: { task: await client.get({ id: taskId }, { signal }) } };
}

/** What comes of an answer. Days may have passed: whoever does not wait any more has got it, or has ended without it. */
export async function* replied(
  client: A2AClient,
  message: Message & { readonly taskId: string },
  { signal, cursor }: { readonly signal: AbortSignal; readonly cursor?: string | undefined },
): AsyncGenerator<StreamedEvent, void, void> {
  const { taskId, messageId } = message;
  const { status } = await client.get({ id: taskId, historyLength: 0 }, { signal });
  if (WAITS.test(status.state)) yield* client.stream({ message }, { signal, idempotencyKey: messageId });
  else yield* attached(client, taskId, { signal, cursor });
}

/** The task that this message began before we lost sight of it; undefined means that it is safe to send it. */
export async function findBegun(
  client: A2AClient,
  { messageId, contextId = "" }: Message,
  signal: AbortSignal,
): Promise<string | undefined> {
  // The same key joins what it began.
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
