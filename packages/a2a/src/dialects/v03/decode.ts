import { z } from "zod";
import {
  isObject,
  type PushConfig,
  type StreamResponse,
  type TaskStatusUpdate,
} from "../../protocol/model.ts";
import { carry } from "../carried.ts";
import { contentSchemas } from "../content-schemas.ts";
import type { EventDecoder, OperationResults, SendAnswer, TaskNames, UnaryOperation } from "../dialect.ts";
import { completeStatus } from "../incomplete-status.ts";
import { legacyPart } from "../legacy-parts.ts";
import { legacyPushConfig } from "../legacy-push.ts";
import { endsStream, legacyRoleName, legacyStateName } from "../legacy-states.ts";
import { json, metadata, optional, parseAnswer, wireObject } from "../wire-schema.ts";

const text = z.string();

/** Messages, artifacts and tasks as v0.3 writes them; their `kind` may be missing. */
export const v03Content = contentSchemas({
  snakeCase: false,
  part: legacyPart,
  role: legacyRoleName,
  state: legacyStateName,
});

/** A status update; a `final` that the state does not explain is noted in the metadata. */
const statusUpdate: z.ZodType<TaskStatusUpdate> = wireObject({
  taskId: text.default(""),
  contextId: text.default(""),
  status: v03Content.status,
  final: optional(z.boolean()),
  metadata: optional(metadata),
}).transform(({ final, ...update }) => {
  const complete = completeStatus(update);
  if (final === undefined || final === endsStream(complete.status.state)) return complete;
  return { ...complete, metadata: carry(complete.metadata, { final }) ?? {} };
});

/** A push config with the task that it is for. */
export const v03PushConfig: z.ZodType<PushConfig & { readonly taskId: string }> = wireObject({
  taskId: text,
  pushNotificationConfig: legacyPushConfig,
}).transform(({ taskId, pushNotificationConfig }) => ({ ...pushNotificationConfig, taskId }));

const schemas: { readonly [O in Exclude<UnaryOperation, "send">]: z.ZodType<OperationResults[O]> } = {
  get: v03Content.task,
  list: z.never(),
  cancel: v03Content.task,
  createPush: v03PushConfig,
  getPush: v03PushConfig,
  listPush: z.array(v03PushConfig).transform((configs) => ({ configs, nextPageToken: "" })),
  deletePush: z.unknown().transform(() => undefined),
  extendedCard: json,
};

export function decodeV03Answer<O extends UnaryOperation>(operation: O, value: unknown): OperationResults[O] {
  if (operation === "send") return decodeSendAnswer(value) as OperationResults[O];
  const schema = schemas[operation as Exclude<O, "send">] as z.ZodType<OperationResults[O]>;
  return parseAnswer(schema, value);
}

function decodeSendAnswer(value: unknown): SendAnswer {
  return kindOf(value) === "message"
    ? { message: parseAnswer(v03Content.receivedMessage, value) }
    : { task: parseAnswer(v03Content.task, value) };
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
      return { artifactUpdate: parseAnswer(v03Content.artifactUpdate, value) };
    case "status-update":
      return { statusUpdate: parseAnswer(statusUpdate, value) };
    case "message":
      return { message: parseAnswer(v03Content.receivedMessage, value) };
    default:
      return { task: parseAnswer(v03Content.task, value) };
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
