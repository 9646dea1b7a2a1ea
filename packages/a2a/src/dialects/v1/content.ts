import { z } from "zod";
import type { Artifact, Message, Part } from "../../protocol/model.ts";
import { json, MAX_ITEMS, metadata, optional, wireObject } from "../wire-schema.ts";
import { base64 } from "../wire-values.ts";
import { role } from "./enums.ts";

const text = z.string();
const texts = z.array(z.string()).max(MAX_ITEMS);
const CONTENT = ["text", "raw", "url", "data"] as const;

export function protoObject<S extends z.ZodRawShape>(shape: S, present: readonly string[] = []) {
  return wireObject(shape, { snakeCase: true, present });
}

/** A part: exactly one of `text`, `raw`, `url` and `data`, which may be null, says what it is. */
const part: z.ZodType<Part> = protoObject(
  {
    text: optional(text),
    raw: optional(base64),
    url: optional(text),
    data: optional(json),
    filename: optional(text),
    mediaType: optional(text),
    metadata: optional(metadata),
  },
  CONTENT,
).superRefine((value, context) => {
  const members = CONTENT.filter((name) => value[name] !== undefined);
  if (members.length === 1) return;
  const message = `must have exactly one of ${CONTENT.join(", ")}`;
  context.addIssue({ code: "custom", message });
});

const messageMembers = {
  contextId: optional(text),
  taskId: optional(text),
  role,
  metadata: optional(metadata),
  extensions: optional(texts),
  referenceTaskIds: optional(texts),
};

/** A message that a caller sends: it needs an id, a role and at least one part. */
export const sentMessage: z.ZodType<Message> = protoObject({
  messageId: text,
  ...messageMembers,
  parts: z.array(part).min(1, "must have at least one part").max(MAX_ITEMS),
});

/** A message in an answer: what only tidy agents send may be missing. */
export const receivedMessage: z.ZodType<Message> = protoObject({
  messageId: text.default(""),
  ...messageMembers,
  parts: z.array(part).default([]),
});

/** An artifact in an answer; one without an id gets "", which the artifact ledger repairs. */
export const receivedArtifact: z.ZodType<Artifact> = protoObject({
  artifactId: text.default(""),
  name: optional(text),
  description: optional(text),
  parts: z.array(part).default([]),
  metadata: optional(metadata),
  extensions: optional(texts),
});
