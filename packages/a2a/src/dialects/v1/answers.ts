import { z } from "zod";
import type { ListTasksResponse, StreamResponse, TaskStatusUpdate } from "../../protocol/model.ts";
import type { OperationResults, SendAnswer, UnaryOperation } from "../dialect.ts";
import { completeStatus } from "../incomplete-status.ts";
import { count, json, metadata, optional, parseAnswer } from "../wire-schema.ts";
import { protoObject, v1Content } from "./content.ts";
import { plainPiece } from "./plain-piece.ts";
import { pushConfig } from "./requests.ts";

const text = z.string();

const statusUpdate: z.ZodType<TaskStatusUpdate> = protoObject({
  taskId: text.default(""),
  contextId: text.default(""),
  status: v1Content.status,
  metadata: optional(metadata),
}).transform(completeStatus);

const answer = oneMember<SendAnswer>({ task: v1Content.task, message: v1Content.receivedMessage });

const streamEvent = oneMember<StreamResponse>({
  task: v1Content.task,
  message: v1Content.receivedMessage,
  statusUpdate,
  artifactUpdate: v1Content.artifactUpdate,
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
  tasks: z.array(v1Content.task).default([]),
  nextPageToken: text.default(""),
  pageSize: count.default(0),
  totalSize: count.default(0),
});

const schemas: { readonly [O in UnaryOperation]: z.ZodType<OperationResults[O]> } = {
  send: answer,
  get: v1Content.task,
  list,
  cancel: v1Content.task,
  createPush: pushConfig,
  getPush: pushConfig,
  listPush: protoObject({ configs: z.array(pushConfig).default([]), nextPageToken: text.default("") }),
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
