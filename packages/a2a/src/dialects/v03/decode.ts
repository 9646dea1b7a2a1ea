import { z } from "zod";
import type { Artifact, Message, Task, TaskArtifactUpdate, TaskStatusUpdate } from "../../protocol/model.ts";
import { carry } from "../carried.ts";
import { completeStatus } from "../incomplete-status.ts";
import { legacyPart } from "../legacy-parts.ts";
import { endsStream, legacyRoleName, legacyStateName } from "../legacy-states.ts";
import { MAX_ITEMS, metadata, optional, wireObject } from "../wire-schema.ts";
import { timestamp } from "../wire-values.ts";

const text = z.string();
const texts = z.array(z.string()).max(MAX_ITEMS);
const id = text.default("");

const messageMembers = {
  contextId: optional(text),
  taskId: optional(text),
  role: legacyRoleName,
  metadata: optional(metadata),
  extensions: optional(texts),
  referenceTaskIds: optional(texts),
};

/** A message that a caller sends; its `kind` may be missing, its id, role and parts may not. */
export const v03SentMessage: z.ZodType<Message> = wireObject({
  messageId: text,
  ...messageMembers,
  parts: z.array(legacyPart).min(1, "must have at least one part").max(MAX_ITEMS),
});

/** A message in an answer. */
export const v03ReceivedMessage: z.ZodType<Message> = wireObject({
  messageId: id,
  ...messageMembers,
  parts: z.array(legacyPart).default([]),
});

const artifact: z.ZodType<Artifact> = wireObject({
  artifactId: id,
  name: optional(text),
  description: optional(text),
  parts: z.array(legacyPart).default([]),
  metadata: optional(metadata),
  extensions: optional(texts),
});

const status = wireObject({
  state: legacyStateName,
  message: optional(v03ReceivedMessage),
  timestamp: optional(timestamp),
});

/** A task in an answer. */
export const v03Task: z.ZodType<Task> = wireObject({
  id: text,
  contextId: id,
  status,
  artifacts: optional(z.array(artifact)),
  history: optional(z.array(v03ReceivedMessage)),
  metadata: optional(metadata),
}).transform(completeStatus);

/** A status update; a `final` that the state does not explain is noted in the metadata. */
export const v03StatusUpdate: z.ZodType<TaskStatusUpdate> = wireObject({
  taskId: id,
  contextId: id,
  status,
  final: optional(z.boolean()),
  metadata: optional(metadata),
}).transform(({ final, ...update }) => {
  const complete = completeStatus(update);
  if (final === undefined || final === endsStream(complete.status.state)) return complete;
  return { ...complete, metadata: carry(complete.metadata, { final }) ?? {} };
});

export const v03ArtifactUpdate: z.ZodType<TaskArtifactUpdate> = wireObject({
  taskId: id,
  contextId: id,
  artifact,
  append: optional(z.boolean()),
  lastChunk: optional(z.boolean()),
  metadata: optional(metadata),
});
