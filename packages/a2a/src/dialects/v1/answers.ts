import { z } from "zod";
import type { ListTasksResponse, StreamResponse, Task, TaskStatusUpdate } from "../../protocol/model.ts";
import type { OperationResults, SendAnswer, UnaryOperation } from "../dialect.ts";
import { completeStatus } from "../incomplete-status.ts";
import { count, json, metadata, optional, parseAnswer } from "../wire-schema.ts";
import { timestamp } from "../wire-values.ts";
import { protoObject, receivedArtifact, receivedMessage } from "./content.ts";
import { taskState } from "./enums.ts";
import { plainPiece } from "./piece.ts";
import { pushConfig } from "./requests.ts";

const text = z.string();
const id = text.default("");

const status = protoObject({
  state: optional(taskState),
  message: optional(receivedMessage),
  timestamp: optional(timestamp),
});

const task: z.ZodType<Task> = protoObject({
  id: text,
  contextId: id,
  status,
  artifacts: optional(z.array(receivedArtifact)),
  history: optional(z.array(receivedMessage)),
  metadata: optional(metadata),
}).transform(completeStatus);

const statusUpdate: z.ZodType<TaskStatusUpdate> = protoObject({
  taskId: id,
  contextId: id,
  status,
  metadata: optional(metadata),
}).transform(completeStatus);

const artifactUpdate = protoObject({
  taskId: id,
  contextId: id,
  artifact: receivedArtifact,
  append: optional(z.boolean()),
  lastChunk: optional(z.boolean()),
  metadata: optional(metadata),
});

const answer = oneMember<SendAnswer>({ task, message: receivedMessage });

const streamEvent = oneMember<StreamResponse>({
  task,
  message: receivedMessage,
  statusUpdate,
  artifactUpdate,
});

function oneMember<T>(members: Readonly<Record<string, z.ZodType>>): z.ZodType<T> {
  const names = Object.keys(members);
  const shape = Object.fromEntries(Object.entries(members).map(([name, it]) => [name, optional(it)]));
  return protoObject(shape).transform((value, context) => {
    if (Object.keys(value).length === 1) return value as T;
    context.addIssue({ code: "custom", message: `must have exactly one of ${names.join(", ")}` });
    return z.NEVER;
  });
}

const list: z.ZodType<ListTasksResponse> = protoObject({
  tasks: z.array(task).default([]),
  nextPageToken: id,
  pageSize: count.default(0),
  totalSize: count.default(0),
});

const schemas: { readonly [O in UnaryOperation]: z.ZodType<OperationResults[O]> } = {
  send: answer,
  get: task,
  list,
  cancel: task,
  createPush: pushConfig,
  getPush: pushConfig,
  listPush: protoObject({ configs: z.array(pushConfig).default([]), nextPageToken: id }),
  deletePush: z.unknown().transform(() => undefined),
  extendedCard: json,
};

export function decodeV1Answer<O extends UnaryOperation>(operation: O, value: unknown): OperationResults[O] {
  const schema: z.ZodType<OperationResults[O]> = schemas[operation];
  return parseAnswer(schema, value);
}

export function decodeV1Event(value: unknown): StreamResponse {
  return plainPiece(value) ?? parseAnswer(streamEvent, value);
}
