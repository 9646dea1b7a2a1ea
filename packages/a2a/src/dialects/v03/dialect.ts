import { z } from "zod";
import { isObject, type Json, type PushConfig, type StreamResponse } from "../../protocol/model.ts";
import type {
  Dialect,
  EventDecoder,
  OperationResults,
  SendAnswer,
  TaskNames,
  UnaryOperation,
} from "../dialect.ts";
import { encodeLegacyPushConfig, legacyPushConfig } from "../legacy-push.ts";
import { methodTable } from "../method-table.ts";
import { json, parseAnswer, wireObject } from "../wire-schema.ts";
import { v03ArtifactUpdate, v03ReceivedMessage, v03StatusUpdate, v03Task } from "./decode.ts";
import { encodeV03Event, encodeV03Message, encodeV03Task } from "./encode.ts";
import { decodeV03Error, encodeV03Error } from "./errors.ts";
import { decodeV03Request, encodeV03Request } from "./requests.ts";

const pushConfig: z.ZodType<PushConfig> = wireObject({
  taskId: z.string(),
  pushNotificationConfig: legacyPushConfig,
}).transform(({ taskId, pushNotificationConfig }) => ({ ...pushNotificationConfig, taskId }));

const schemas: { readonly [O in Exclude<UnaryOperation, "send">]: z.ZodType<OperationResults[O]> } = {
  get: v03Task,
  list: z.never(),
  cancel: v03Task,
  createPush: pushConfig,
  getPush: pushConfig,
  listPush: z.array(pushConfig).transform((configs) => ({ configs, nextPageToken: "" })),
  deletePush: z.unknown().transform(() => undefined),
  extendedCard: json,
};

function decodeV03Answer<O extends UnaryOperation>(operation: O, value: unknown): OperationResults[O] {
  if (operation === "send") return decodeSendAnswer(value) as OperationResults[O];
  const schema = schemas[operation as Exclude<O, "send">] as z.ZodType<OperationResults[O]>;
  return parseAnswer(schema, value);
}

function decodeSendAnswer(value: unknown): SendAnswer {
  return kindOf(value) === "message"
    ? { message: parseAnswer(v03ReceivedMessage, value) }
    : { task: parseAnswer(v03Task, value) };
}

/** Reads the events of one stream, and gives those that leave out their task the one the stream is about. */
function v03EventDecoder(task: TaskNames = {}): EventDecoder {
  let { id = "", contextId = "" } = task;
  return (value) => {
    const event = decodeEvent(value);
    if ("task" in event) {
      id = event.task.id;
      contextId = event.task.contextId || contextId;
      return [event];
    }
    if ("message" in event) return [event];
    const update = "statusUpdate" in event ? event.statusUpdate : event.artifactUpdate;
    id = update.taskId || id;
    contextId = update.contextId || contextId;
    if (update.taskId === id && update.contextId === contextId) return [event];
    const names = { taskId: id, contextId };
    return "statusUpdate" in event
      ? [{ statusUpdate: { ...event.statusUpdate, ...names } }]
      : [{ artifactUpdate: { ...event.artifactUpdate, ...names } }];
  };
}

function decodeEvent(value: unknown): StreamResponse {
  switch (kindOf(value)) {
    case "artifact-update":
      return { artifactUpdate: parseAnswer(v03ArtifactUpdate, value) };
    case "status-update":
      return { statusUpdate: parseAnswer(v03StatusUpdate, value) };
    case "message":
      return { message: parseAnswer(v03ReceivedMessage, value) };
    default:
      return { task: parseAnswer(v03Task, value) };
  }
}

// Agents that leave out `kind` can still be understood by the members that only one kind has.
function kindOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value.kind === "string") return value.kind;
  if ("artifact" in value) return "artifact-update";
  if ("parts" in value) return "message";
  return "taskId" in value ? "status-update" : "task";
}

const encoders: { readonly [O in UnaryOperation]: (result: OperationResults[O]) => Json } = {
  send: (answer) => ("task" in answer ? encodeV03Task(answer.task) : encodeV03Message(answer.message)),
  get: encodeV03Task,
  list: ({ tasks }) => tasks.map(encodeV03Task),
  cancel: encodeV03Task,
  createPush: encodePushConfig,
  getPush: encodePushConfig,
  listPush: ({ configs }) => configs.map(encodePushConfig),
  deletePush: () => null,
  extendedCard: (card) => card,
};

function encodePushConfig(config: PushConfig): Json {
  const pushNotificationConfig = encodeLegacyPushConfig(config, { withId: true });
  return { taskId: config.taskId ?? "", pushNotificationConfig };
}

/** A2A v0.3, the dialect of the first seed: every object says its `kind`, and a stream's end is `final`. */
export const v03Dialect: Dialect = {
  version: "0.3",
  ...methodTable({
    send: "message/send",
    stream: "message/stream",
    get: "tasks/get",
    cancel: "tasks/cancel",
    subscribe: "tasks/resubscribe",
    createPush: "tasks/pushNotificationConfig/set",
    getPush: "tasks/pushNotificationConfig/get",
    listPush: "tasks/pushNotificationConfig/list",
    deletePush: "tasks/pushNotificationConfig/delete",
    extendedCard: "agent/getAuthenticatedExtendedCard",
  }),
  decodeRequest: decodeV03Request,
  encodeRequest: encodeV03Request,
  encodeResult: (operation, result) => encoders[operation](result),
  decodeResult: decodeV03Answer,
  eventEncoder: () => (event) => [JSON.stringify(encodeV03Event(event.payload))],
  eventDecoder: v03EventDecoder,
  encodeError: encodeV03Error,
  decodeError: decodeV03Error,
};
