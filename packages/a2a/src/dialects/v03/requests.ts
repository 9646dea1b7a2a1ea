import { z } from "zod";
import type { Json } from "../../protocol/model.ts";
import {
  type DialectSendRequest,
  type Operation,
  type OperationRequests,
  unsupportedOperation,
} from "../dialect.ts";
import { encodeLegacyPushConfig, legacyPushConfig } from "../legacy-push.ts";
import { count, MAX_ITEMS, metadata, optional, parseParams, wireObject } from "../wire-schema.ts";
import { v03Content, v03PushConfig } from "./decode.ts";
import { encodeV03Message, encodeV03PushConfig } from "./encode.ts";

const text = z.string();

const configuration = wireObject({
  acceptedOutputModes: optional(z.array(text).max(MAX_ITEMS)),
  blocking: optional(z.boolean()),
  historyLength: optional(count),
  pushNotificationConfig: optional(legacyPushConfig),
}).transform(({ blocking, pushNotificationConfig, ...rest }) => ({
  ...rest,
  ...(pushNotificationConfig && { taskPushNotificationConfig: pushNotificationConfig }),
  // v0.3 names no default; its own SDKs wait unless told not to.
  ...(blocking === false && { returnImmediately: true }),
}));

const send = wireObject({
  message: v03Content.sentMessage,
  configuration: optional(configuration),
  metadata: optional(metadata),
}).transform(({ configuration: chosen, ...rest }) => ({
  ...rest,
  ...(chosen && Object.keys(chosen).length > 0 && { configuration: chosen }),
}));

const schemas: { readonly [O in Exclude<Operation, "list">]: z.ZodType<OperationRequests[O]> } = {
  send,
  stream: send,
  get: wireObject({ id: text, historyLength: optional(count) }),
  cancel: wireObject({ id: text, metadata: optional(metadata) }),
  subscribe: wireObject({ id: text }),
  createPush: v03PushConfig,
  getPush: wireObject({ id: text, pushNotificationConfigId: optional(text) }).transform(
    ({ id, pushNotificationConfigId: config }) => ({ taskId: id, ...(config && { id: config }) }),
  ),
  listPush: wireObject({ id: text }).transform(({ id }) => ({ taskId: id })),
  deletePush: wireObject({ id: text, pushNotificationConfigId: text }).transform(
    ({ id, pushNotificationConfigId }) => ({ taskId: id, id: pushNotificationConfigId }),
  ),
  extendedCard: wireObject({}),
};

export function decodeV03Request<O extends Operation>(operation: O, params: unknown): OperationRequests[O] {
  if (operation === "list") throw unsupportedOperation("0.3", operation);
  const schema = schemas[operation as Exclude<O, "list">] as z.ZodType<OperationRequests[O]>;
  return parseParams(schema, params);
}

const encoders: { readonly [O in Operation]: (request: OperationRequests[O]) => Json } = {
  // Servers differ in their default, so a send always says whether it waits.
  send: (request) => encodeSend(request, { blocking: !request.configuration?.returnImmediately }),
  stream: (request) =>
    encodeSend(request, request.configuration?.returnImmediately ? { blocking: false } : {}),
  get: ({ id, historyLength }) => ({ id, ...(historyLength !== undefined && { historyLength }) }),
  list: () => {
    throw unsupportedOperation("0.3", "list");
  },
  cancel: ({ id, metadata: meta }) => ({ id, ...(meta && { metadata: meta }) }),
  subscribe: ({ id }) => ({ id }),
  createPush: encodeV03PushConfig,
  getPush: ({ taskId, id }) => ({ id: taskId, ...(id !== undefined && { pushNotificationConfigId: id }) }),
  listPush: ({ taskId }) => ({ id: taskId }),
  deletePush: ({ taskId, id }) => ({ id: taskId, pushNotificationConfigId: id }),
  extendedCard: () => ({}),
};

/** The params of a v0.3 call. */
export function encodeV03Request<O extends Operation>(operation: O, request: OperationRequests[O]): Json {
  return encoders[operation](request);
}

function encodeSend(request: DialectSendRequest, waiting: { readonly blocking?: boolean }): Json {
  const {
    acceptedOutputModes,
    historyLength,
    taskPushNotificationConfig: push,
  } = request.configuration ?? {};
  const chosen = {
    ...(acceptedOutputModes && { acceptedOutputModes }),
    ...(historyLength !== undefined && { historyLength }),
    ...(push && { pushNotificationConfig: encodeLegacyPushConfig(push, { withId: true }) }),
    ...waiting,
  };
  return {
    message: encodeV03Message(request.message),
    ...(Object.keys(chosen).length > 0 && { configuration: chosen }),
    ...(request.metadata && { metadata: request.metadata }),
  };
}
