import type { A2AClient } from "../client/a2a-client.ts";
import type { StreamedEvent } from "../client/index.ts";
import { isInterrupted, isSettled } from "../tasks/task-states.ts";

export interface FollowTaskOptions {
  readonly signal: AbortSignal;
  /** Goes on after this event; otherwise the task as it is now comes first. */
  readonly cursor?: string | undefined;
  /** A stream that was subscribed to stays open while the agent waits for an answer. */
  readonly endsAtQuestion?: boolean;
}

/** What happens to a task that a peer has. */
export async function* followTask(
  client: A2AClient,
  taskId: string,
  { signal, cursor, endsAtQuestion = false }: FollowTaskOptions,
): AsyncGenerator<StreamedEvent, void, void> {
  if (cursor !== undefined) return yield* client.subscribe(taskId, { signal, after: cursor });
  const task = await client.get({ id: taskId, historyLength: 0 }, { signal });
  yield { event: { task } };
  if (isSettled(task.status.state)) return;
  for await (const streamed of client.subscribe(taskId, { signal })) {
    yield streamed;
    const { event } = streamed;
    const status = "task" in event ? event.task.status : "statusUpdate" in event && event.statusUpdate.status;
    if (endsAtQuestion && status && isInterrupted(status.state)) break;
  }
  // Not every agent sends all of it.
  if (!client.honoursIdempotencyKeys) yield { event: { task: await client.get({ id: taskId }, { signal }) } };
}
