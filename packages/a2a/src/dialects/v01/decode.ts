import { z } from "zod";
import type { Artifact, Message, Metadata, Task, TaskStatus } from "../../protocol/model.ts";
import { carriedText, carriedTexts, uncarry } from "../carried.ts";
import { sentParts } from "../content-schemas.ts";
import { completeStatus, type IncompleteStatus } from "../incomplete-status.ts";
import { legacyPart } from "../legacy-parts.ts";
import { isTaskState, legacyRoleName, legacyStateName } from "../legacy-states.ts";
import { count, metadata, optional, timestamp, wireObject } from "../wire-schema.ts";
import { artifactIdOf, MessageNames } from "./made-up-ids.ts";

const text = z.string();
const messageMembers = { role: legacyRoleName, metadata: optional(metadata) };

/** A message that a caller sends; without a carried id it has "". */
export const v01SentMessage = wireObject({
  ...messageMembers,
  parts: sentParts(legacyPart),
}).transform(liftMessage);

/** A message in an answer; without a carried id it has "". */
const v01ReceivedMessage = wireObject({
  ...messageMembers,
  parts: z.array(legacyPart).default([]),
}).transform(liftMessage);

function liftMessage(message: Pick<Message, "role" | "parts" | "metadata">): Message {
  const names = ["messageId", "contextId", "taskId", "extensions", "referenceTaskIds"];
  const { carried, metadata: rest } = uncarry(message.metadata, names);
  const contextId = carriedText(carried.contextId);
  const taskId = carriedText(carried.taskId);
  const extensions = carriedTexts(carried.extensions);
  const referenceTaskIds = carriedTexts(carried.referenceTaskIds);
  return {
    messageId: carriedText(carried.messageId) ?? "",
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
    role: message.role,
    parts: message.parts,
    ...(rest && { metadata: rest }),
    ...(extensions && { extensions }),
    ...(referenceTaskIds && { referenceTaskIds }),
  };
}

/** An artifact, or a piece of one, with the number and the flags that v0.1 writes inside. */
export const v01Artifact = wireObject({
  name: optional(text),
  description: optional(text),
  parts: z.array(legacyPart).default([]),
  index: optional(count),
  append: optional(z.boolean()),
  lastChunk: optional(z.boolean()),
  metadata: optional(metadata),
}).transform(({ index, append, lastChunk, metadata: meta, ...rest }) => {
  const { carried, metadata: own } = uncarry(meta, ["artifactId", "extensions"]);
  const extensions = carriedTexts(carried.extensions);
  return {
    artifactId: carriedText(carried.artifactId),
    content: { ...rest, ...(own && { metadata: own }), ...(extensions && { extensions }) },
    index,
    flags: { ...(append !== undefined && { append }), ...(lastChunk !== undefined && { lastChunk }) },
  };
});

/** A status as it was sent. */
export const v01Status = wireObject({
  state: legacyStateName,
  message: optional(v01ReceivedMessage),
  timestamp: optional(timestamp),
});

/** A task as it was sent; {@link v01TaskOf} makes ours of it. */
export const v01Task = wireObject({
  id: text,
  sessionId: optional(text),
  status: v01Status,
  artifacts: optional(z.array(v01Artifact)),
  history: optional(z.array(v01ReceivedMessage)),
  metadata: optional(metadata),
});

/** A status with everything filled in, in the state that was carried if v0.1 did not have it. */
export function v01StatusOf(
  sent: IncompleteStatus,
  meta: Metadata | undefined,
  names: MessageNames,
): { status: TaskStatus; metadata?: Metadata } {
  const { carried, metadata: rest } = uncarry(meta, ["state"]);
  const state = isTaskState(carried.state) ? carried.state : sent.state;
  const message = sent.message && names.named(sent.message);
  const status = { ...sent, state, ...(message && { message }) };
  return completeStatus({ status, ...(rest && { metadata: rest }) });
}

/** The task in our model, its messages and artifacts with ids. */
export function v01TaskOf(sent: z.output<typeof v01Task>, names = new MessageNames()): Task {
  const history = sent.history?.map((message) => names.named(message));
  return {
    id: sent.id,
    contextId: sent.sessionId ?? "",
    ...v01StatusOf(sent.status, sent.metadata, names),
    ...(sent.artifacts && { artifacts: namedArtifacts(sent.artifacts) }),
    ...(history && { history }),
  };
}

// Agents that never set the number leave several artifacts with the same one.
function namedArtifacts(sent: readonly z.output<typeof v01Artifact>[]): Artifact[] {
  const taken = new Set<string>();
  return sent.map(({ artifactId, content, index }, position) => {
    let number = index ?? position;
    while (artifactId === undefined && taken.has(artifactIdOf(number))) number += 1;
    const id = artifactId ?? artifactIdOf(number);
    taken.add(id);
    return { artifactId: id, ...content };
  });
}
