import { z } from "zod";
import type { Json, ListTasksResponse, StreamResponse, TaskStatusUpdate } from "../../protocol/model.ts";
import {
  type Dialect,
  methodTable,
  type OperationResults,
  type SendAnswer,
  type UnaryOperation,
} from "../dialect.ts";
import { completeStatus } from "../incomplete-status.ts";
import { count, json, metadata, optional, parseAnswer } from "../wire-schema.ts";
import { protoObject, v1Content } from "./content.ts";
import { decodeV1Error, encodeV1Error } from "./errors.ts";
import { plainPiece } from "./plain-piece.ts";
import { decodeV1Request, pushConfig } from "./requests.ts";

/** A2A v1.0, whose JSON is our model: encoding is handing over. */
export const v1Dialect: Dialect = {
  version: "1.0",
  ...methodTable({
    send: "SendMessage",
    stream: "SendStreamingMessage",
    get: "GetTask",
    list: "ListTasks",
    cancel: "CancelTask",
    subscribe: "SubscribeToTask",
    createPush: "CreateTaskPushNotificationConfig",
    getPush: "GetTaskPushNotificationConfig",
    listPush: "ListTaskPushNotificationConfigs",
    deletePush: "DeleteTaskPushNotificationConfig",
    extendedCard: "GetExtendedAgentCard",
  }),
  decodeRequest: decodeV1Request,
  encodeRequest: (_operation, request) => withoutMarker(asJson(request)),
  // The SDKs answer a deletion, which has no content, with null.
  encodeResult: (_operation, result) => (result === undefined ? null : asJson(result)),
  decodeResult: decodeV1Answer,
  eventEncoder:
    () =>
    ({ json }) => [json],
  eventDecoder: () => (value) => [decodeV1Event(value)],
  encodeError: encodeV1Error,
  decodeError: decodeV1Error,
};

// The model is JSON by construction; its optional members only keep TypeScript from seeing that.
function asJson(value: object | Json): Json {
  return value as Json;
}

// v1.0 has no task ids of the client's making, and strict readers refuse unknown members.
function withoutMarker(request: Json): Json {
  if (typeof request !== "object" || request === null || !("clientTaskId" in request)) return request;
  const { clientTaskId: _, ...rest } = request;
  return rest;
}

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

function decodeV1Answer<O extends UnaryOperation>(operation: O, value: unknown): OperationResults[O] {
  const schema: z.ZodType<OperationResults[O]> = schemas[operation];
  return parseAnswer(schema, value);
}

export function decodeV1Event(value: unknown): StreamResponse {
  return plainPiece(value) ?? parseAnswer(streamEvent, value);
}
