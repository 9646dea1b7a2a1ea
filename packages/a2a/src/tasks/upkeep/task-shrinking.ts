import { EventTooLargeError, type Journal } from "@parley/journal";
import type { Artifact, Part, Task } from "../../protocol/model.ts";
import { acquireIfFree } from "../intake/idle-tasks.ts";
import { readTask } from "../reading/task-view.ts";
import { type TaskEvent, taskStream } from "../task-events.ts";
import { isTerminal } from "../task-states.ts";

/** Pieces of text stay well below the largest event. */
const PIECE_CHARACTERS = 131_072;

/**
 * Replaces an ended task's stream by its result: its last state, its messages and its final
 * artifacts. It can be repeated after an interruption. False means that the task has an active execution.
 */
export async function shrinkTask(journal: Journal, taskId: string): Promise<boolean> {
  const stream = taskStream(taskId);
  const lease = await acquireIfFree(journal, taskId);
  if (!lease) return false;
  try {
    const projection = await readTask(journal, taskId);
    const task = projection.snapshot();
    if (!isTerminal(task.status.state) || !projection.created) return false;
    const events: TaskEvent[] = [{ created: projection.created }, ...outcome(task)];
    await journal.append(stream, events, { expected: projection.index, epoch: lease.epoch });
    await journal.trim(stream, projection.index);
    return true;
  } catch (error) {
    // It stays as it is: better large than cut.
    if (error instanceof EventTooLargeError) return true;
    throw error;
  } finally {
    await lease.release();
  }
}

/** The events of a task with this result; its parts are written one by one, so that none is too large. */
function outcome({ history = [], artifacts = [], ...task }: Task): TaskEvent[] {
  return [
    { task },
    ...history.map((message) => ({ received: message })),
    ...artifacts.flatMap((artifact) => pieces(task, artifact)),
  ];
}

function pieces({ id, contextId }: Pick<Task, "id" | "contextId">, artifact: Artifact): TaskEvent[] {
  const { parts, ...head } = artifact;
  const small = parts.flatMap(inPieces).map((part) => [part]);
  const contents: readonly Part[][] = small.length > 0 ? small : [[]];
  return contents.map((content, position) => ({
    artifactUpdate: {
      taskId: id,
      contextId,
      artifact: { ...(position === 0 ? head : { artifactId: head.artifactId }), parts: content },
      append: position > 0,
      lastChunk: position === contents.length - 1,
    },
  }));
}

/** Plain text in pieces that a reader joins again; anything else as it is. */
function inPieces(part: Part): readonly Part[] {
  const { text } = part;
  if (text === undefined || Object.keys(part).length > 1 || text.length <= PIECE_CHARACTERS) return [part];
  const count = Math.ceil(text.length / PIECE_CHARACTERS);
  return Array.from({ length: count }, (_, n) => ({
    text: text.slice(n * PIECE_CHARACTERS, (n + 1) * PIECE_CHARACTERS),
  }));
}
