import { z } from "zod";
import type {
  Artifact,
  Message,
  Part,
  Role,
  Task,
  TaskArtifactUpdate,
  TaskState,
} from "../protocol/model.ts";
import { completeStatus, type IncompleteStatus } from "./incomplete-status.ts";
import { MAX_ITEMS, metadata, optional, timestamp, wireObject } from "./wire-schema.ts";

const text = z.string();
const id = text.default("");
const texts = optional(z.array(text).max(MAX_ITEMS));

/** The parts of a message that a caller sends. */
export function sentParts(part: z.ZodType<Part>): z.ZodType<Part[]> {
  return z.array(part).min(1, "must have at least one part").max(MAX_ITEMS);
}

/** In what v0.3 and v1.0 write content differently. */
export interface ContentRules {
  /** ProtoJSON readers take snake_case too. */
  readonly snakeCase: boolean;
  readonly part: z.ZodType<Part>;
  readonly role: z.ZodType<Role>;
  readonly state: z.ZodType<TaskState | undefined>;
}

/** The schemas of content: strict for what callers send, lenient for what agents answer. */
export function contentSchemas({ snakeCase, part, role, state }: ContentRules) {
  const object = <S extends z.ZodRawShape>(shape: S) => wireObject(shape, { snakeCase });
  const receivedParts = z.array(part).default([]);
  const messageMembers = {
    contextId: optional(text),
    taskId: optional(text),
    role,
    metadata: optional(metadata),
    extensions: texts,
    referenceTaskIds: texts,
  };
  const sentMessage: z.ZodType<Message> = object({
    messageId: text,
    ...messageMembers,
    parts: sentParts(part),
  });
  const receivedMessage: z.ZodType<Message> = object({
    messageId: id,
    ...messageMembers,
    parts: receivedParts,
  });
  const artifact: z.ZodType<Artifact> = object({
    artifactId: id,
    name: optional(text),
    description: optional(text),
    parts: receivedParts,
    metadata: optional(metadata),
    extensions: texts,
  });
  const status: z.ZodType<IncompleteStatus> = object({
    state,
    message: optional(receivedMessage),
    timestamp: optional(timestamp),
  });
  const task: z.ZodType<Task> = object({
    id: text,
    contextId: id,
    status,
    artifacts: optional(z.array(artifact)),
    history: optional(z.array(receivedMessage)),
    metadata: optional(metadata),
  }).transform(completeStatus);
  const artifactUpdate: z.ZodType<TaskArtifactUpdate> = object({
    taskId: id,
    contextId: id,
    artifact,
    append: optional(z.boolean()),
    lastChunk: optional(z.boolean()),
    metadata: optional(metadata),
  });
  return { sentMessage, receivedMessage, status, task, artifactUpdate };
}
