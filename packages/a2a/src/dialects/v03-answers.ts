import { z } from "zod";
import type { PushConfig, StreamResponse } from "../protocol/model.ts";
import type { EventDecoder, OperationResults, SendAnswer, TaskNames, UnaryOperation } from "./dialect.ts";
import { legacyPushConfig } from "./legacy-push.ts";
import { v03ArtifactUpdate, v03ReceivedMessage, v03StatusUpdate, v03Task } from "./v03-decode.ts";
import { isObject, json, parseAnswer, wireObject } from "./wire-schema.ts";

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

/** The answer of a v0.3 agent. */
export function decodeV03Answer<O extends UnaryOperation>(operation: O, value: unknown): OperationResults[O] {
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
export function v03EventDecoder(task: TaskNames = {}): EventDecoder {
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
