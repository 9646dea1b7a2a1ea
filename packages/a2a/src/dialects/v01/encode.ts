import { chosenTaskId } from "../../protocol/chosen-task-id.ts";
import type { Artifact, Json, Message, Task, TaskStatus } from "../../protocol/model.ts";
import { carry } from "../carried.ts";
import { takeNotes } from "../incomplete-status.ts";
import { encodeLegacyPart } from "../legacy-parts.ts";
import { legacyRole, legacyState, nearestInV01 } from "../legacy-states.ts";
import { artifactIdOf, isMadeUpMessageId } from "./made-up-ids.ts";

/** A message as v0.1 writes it; its ids, which v0.1 does not have, are carried. */
export function encodeV01Message(message: Message): Json {
  const { messageId, contextId, taskId, extensions, referenceTaskIds } = message;
  const metadata = carry(message.metadata, {
    messageId: messageId === "" || isMadeUpMessageId(messageId) ? undefined : messageId,
    contextId,
    taskId: taskId && chosenTaskId(taskId),
    extensions,
    referenceTaskIds,
  });
  return {
    role: legacyRole(message.role),
    parts: message.parts.map((part) => encodeLegacyPart(part, "type")),
    ...(metadata && { metadata }),
  };
}

/** A status as v0.1 writes it, in the nearest state that it has. */
export function encodeV01Status(status: TaskStatus, { withoutTime }: { withoutTime: boolean }): Json {
  return {
    state: legacyState(nearestInV01(status.state)),
    ...(status.message && { message: encodeV01Message(status.message) }),
    ...(!withoutTime && { timestamp: status.timestamp }),
  };
}

/** The state to carry, if v0.1 does not have it. */
export function newerState({ state }: TaskStatus): string | undefined {
  return nearestInV01(state) === state ? undefined : state;
}

/** Where a piece of an artifact belongs, and whether to carry its id. */
export interface ArtifactPlace {
  readonly index: number;
  readonly append?: boolean | undefined;
  readonly lastChunk?: boolean | undefined;
  readonly withId: boolean;
}

/** An artifact as v0.1 writes it: known by its number, with the flags of the piece inside. */
export function encodeV01Artifact(artifact: Artifact, place: ArtifactPlace): Json {
  const { artifactId, name, description, extensions } = artifact;
  const { index, append, lastChunk } = place;
  const withId = place.withId && artifactId !== artifactIdOf(index);
  const metadata = carry(artifact.metadata, { artifactId: withId ? artifactId : undefined, extensions });
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    parts: artifact.parts.map((part) => encodeLegacyPart(part, "type")),
    index,
    ...(append !== undefined && { append }),
    ...(lastChunk !== undefined && { lastChunk }),
    ...(metadata && { metadata }),
  };
}

export function encodeV01Task(task: Task): Json {
  const notes = takeNotes(task.metadata);
  const metadata = carry(notes.metadata, { state: newerState(task.status) });
  return {
    id: chosenTaskId(task.id),
    ...(task.contextId && { sessionId: task.contextId }),
    status: encodeV01Status(task.status, notes),
    ...(task.artifacts && {
      artifacts: task.artifacts.map((it, index) => encodeV01Artifact(it, { index, withId: true })),
    }),
    ...(task.history && { history: task.history.map(encodeV01Message) }),
    ...(metadata && { metadata }),
  };
}

/** A message as an answer: v0.1 only has tasks, so it becomes the last word of a completed one. */
export function encodeV01MessageAnswer(
  message: Message,
  task: { readonly id: string; readonly contextId: string },
): Json {
  const metadata = carry(undefined, { answer: "message" });
  return {
    id: task.id,
    ...(task.contextId && { sessionId: task.contextId }),
    status: { state: "completed", message: encodeV01Message(message) },
    ...(metadata && { metadata }),
  };
}
