import { isObject } from "../../protocol/model.ts";
import type {
  AnsweringDialect,
  EventDecoder,
  Operation,
  OperationRequests,
  OperationResults,
  TaskNames,
  UnaryOperation,
} from "../dialect.ts";
import { v03Dialect } from "./dialect.ts";
import { protoEvent, protoResults } from "./proto-encode.ts";
import { legacyRoleOf, legacyStateOf, protoJson } from "./proto-json.ts";

/** A2A v0.3 as its REST writes it: ProtoJSON of package a2a.v1. */
export const v03ProtoDialect: AnsweringDialect = {
  version: v03Dialect.version,
  decodeRequest: decodeV03ProtoRequest,
  encodeResult: (operation, result) => protoJson(protoResults[operation](result)),
  eventEncoder:
    () =>
    ({ payload }) => [JSON.stringify(protoJson(protoEvent(payload)))],
};

/** Reads a request in ProtoJSON or in the JSON of v0.3; clients send both. What is neither the dialect refuses. */
export function decodeV03ProtoRequest<O extends Operation>(
  operation: O,
  params: unknown,
): OperationRequests[O] {
  const members: Members = isObject(params) ? params : {};
  switch (operation) {
    case "send":
    case "stream":
      return v03Dialect.decodeRequest(operation, sendParams(members));
    case "createPush":
      return v03Dialect.decodeRequest(operation, createPushParams(members));
    default:
      return v03Dialect.decodeRequest(operation, { ...namedIn(members.name ?? members.parent), ...members });
  }
}

function sendParams({ message, request = message, configuration, ...others }: Members): Members {
  if (!isObject(request) || "parts" in request) return { ...others, message: request, configuration };
  return {
    ...others,
    message: legacyMessageOf(request),
    ...(isObject(configuration) && { configuration: configurationOf(configuration) }),
  };
}

// In protobuf a flag that is not set is false, and a length of 0 is none.
function configurationOf(configuration: Members): Members {
  const { blocking = false, pushNotification, push_notification = pushNotification } = configuration;
  const { historyLength, history_length = historyLength, acceptedOutputModes } = configuration;
  const { accepted_output_modes = acceptedOutputModes } = configuration;
  return {
    acceptedOutputModes: accepted_output_modes,
    blocking,
    pushNotificationConfig: push_notification ?? configuration.pushNotificationConfig,
    ...(history_length !== 0 && { historyLength: history_length }),
  };
}

/** The config may stand alone, in its resource or in a request around that: clients and servers of v0.3 differ. */
function createPushParams(members: Members): Members {
  const { parent, config, name } = members;
  const resource: Members = isObject(config) ? config : members;
  const { pushNotificationConfig = resource.push_notification_config } = resource;
  const { id: taskId } = { ...namedIn(parent ?? name ?? resource.name), ...members };
  return { taskId, pushNotificationConfig };
}

/** The answer of a v0.3 agent in ProtoJSON; the JSON of v0.3 is taken too, for agents of both kinds are about. */
export function decodeV03ProtoAnswer<O extends UnaryOperation>(
  operation: O,
  value: unknown,
): OperationResults[O] {
  return v03Dialect.decodeResult(operation, legacyAnswers[operation]?.(value) ?? value);
}

/** One decoder for each stream of a v0.3 agent in ProtoJSON. */
export function v03ProtoEventDecoder(task?: TaskNames): EventDecoder {
  const decode = v03Dialect.eventDecoder(task);
  return (value) => decode(legacyEventOf(value));
}

const legacyAnswers: Partial<Record<UnaryOperation, (value: unknown) => unknown>> = {
  send: legacyEventOf,
  get: legacyTaskOf,
  cancel: legacyTaskOf,
  createPush: legacyConfigOf,
  getPush: legacyConfigOf,
  listPush: (value) => mapped(isObject(value) ? (value.configs ?? []) : value, legacyConfigOf),
};

/** ProtoJSON names the kind by the member; an object of plain JSON has a `kind` and stays as it is. */
function legacyEventOf(value: unknown): unknown {
  if (!isObject(value) || "kind" in value) return value;
  const { task, message, msg = message, statusUpdate, artifactUpdate } = value;
  if (task !== undefined) return legacyTaskOf(task);
  if (msg !== undefined) return tagged("message", legacyMessageOf(msg));
  if (isObject(statusUpdate)) {
    return tagged("status-update", { ...statusUpdate, status: legacyStatusOf(statusUpdate.status) });
  }
  if (isObject(artifactUpdate)) {
    return tagged("artifact-update", {
      ...artifactUpdate,
      artifact: legacyArtifactOf(artifactUpdate.artifact),
    });
  }
  return value;
}

function legacyTaskOf(task: unknown): unknown {
  if (!isObject(task) || "kind" in task) return task;
  return tagged("task", {
    ...task,
    status: legacyStatusOf(task.status),
    artifacts: mapped(task.artifacts, legacyArtifactOf),
    history: mapped(task.history, legacyMessageOf),
  });
}

function legacyStatusOf(status: unknown): unknown {
  if (!isObject(status)) return status;
  const { state, update, message = update, ...rest } = status;
  return { ...rest, state: legacyStateOf(state), message: legacyMessageOf(message) };
}

function legacyArtifactOf(artifact: unknown): unknown {
  return isObject(artifact) ? { ...artifact, parts: mapped(artifact.parts, legacyPartOf) } : artifact;
}

function legacyConfigOf(config: unknown): unknown {
  if (!isObject(config) || "taskId" in config) return config;
  return { ...config, taskId: namedIn(config.name).id };
}

function tagged(kind: string, value: unknown): unknown {
  return isObject(value) ? { ...value, kind } : value;
}

type Members = Readonly<Record<string, unknown>>;

/** A message of ProtoJSON as the JSON of v0.3 has it; one that is in that form already stays as it is. */
function legacyMessageOf(message: unknown): unknown {
  if (!isObject(message) || "parts" in message) return message;
  const { content, message_id, context_id, task_id, ...rest } = message;
  const names = { messageId: message_id, contextId: context_id, taskId: task_id };
  return { ...names, ...rest, role: legacyRoleOf(rest.role), parts: mapped(content, legacyPartOf) };
}

/** A part of ProtoJSON as the JSON of v0.3 has it. */
function legacyPartOf(part: unknown): unknown {
  if (!isObject(part) || "kind" in part) return part;
  const { file, data, ...others } = part;
  if (isObject(file)) {
    const { fileWithUri: uri, file_with_uri, fileWithBytes: bytes, file_with_bytes, ...rest } = file;
    const { mimeType, mime_type = mimeType, name } = rest;
    const content = { uri: uri ?? file_with_uri, bytes: bytes ?? file_with_bytes };
    return { ...others, file: { ...content, mimeType: mime_type, name } };
  }
  return isObject(data) ? { ...others, data: data.data ?? {} } : part;
}

/** What a resource's name says, like `tasks/t/pushNotificationConfigs/c`. */
function namedIn(name: unknown): { readonly id?: string; readonly pushNotificationConfigId?: string } {
  const text = typeof name === "string" ? name : "";
  const [, id, config] = /^tasks\/([^/]+)(?:\/pushNotificationConfigs(?:\/([^/]*))?)?$/.exec(text) ?? [];
  return { ...(id && { id }), ...(config && { pushNotificationConfigId: config }) };
}

/** Each item in another form; what is no list stays as it is, to be refused. */
function mapped(value: unknown, each: (item: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(each) : value;
}
