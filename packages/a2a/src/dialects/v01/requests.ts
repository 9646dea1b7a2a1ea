import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Json, PushConfig } from "../../protocol/model.ts";
import { carry, uncarry } from "../carried.ts";
import {
  type DialectSendRequest,
  type Operation,
  type OperationRequests,
  unsupportedOperation,
} from "../dialect.ts";
import { encodeLegacyPushConfig, legacyPushConfig } from "../legacy-push.ts";
import { count, MAX_ITEMS, metadata, optional, parseParams, wireObject } from "../wire-schema.ts";
import { v01SentMessage } from "./decode.ts";
import { encodeV01Message } from "./encode.ts";
import { newMessageId } from "./made-up-ids.ts";

const text = z.string();
/** An id that the client gives a new task; it becomes part of a stream's name, so it has that one's limits. */
const chosenId = text.regex(
  /^[^\p{Cc}\p{Cs}]{1,190}$/u,
  "must be 1 to 190 characters without control characters",
);

const send = wireObject({
  id: chosenId,
  sessionId: optional(text),
  message: v01SentMessage,
  acceptedOutputModes: optional(z.array(text).max(MAX_ITEMS)),
  pushNotification: optional(legacyPushConfig),
  historyLength: optional(count),
  metadata: optional(metadata),
}).transform(({ id, sessionId, message, metadata: meta, ...sent }): DialectSendRequest => {
  const { carried, metadata: rest } = uncarry(meta, ["returnImmediately"]);
  const { acceptedOutputModes, historyLength, pushNotification } = sent;
  const configuration = {
    ...(acceptedOutputModes && { acceptedOutputModes }),
    ...(pushNotification && { taskPushNotificationConfig: pushNotification }),
    ...(historyLength !== undefined && { historyLength }),
    ...(carried.returnImmediately === true && { returnImmediately: true }),
  };
  const messageId = message.messageId || newMessageId();
  return {
    message: { ...message, messageId, taskId: id, ...(sessionId && { contextId: sessionId }) },
    ...(Object.keys(configuration).length > 0 && { configuration }),
    ...(rest && { metadata: rest }),
    clientTaskId: true,
  };
});

/** A push config with the task that it is for; v0.1 gives it no id of its own. */
export const v01PushConfig: z.ZodType<PushConfig & { readonly taskId: string }> = wireObject({
  id: text,
  pushNotificationConfig: legacyPushConfig,
}).transform(({ id, pushNotificationConfig: { id: _, ...config } }) => ({ ...config, taskId: id }));

type Known = "send" | "stream" | "get" | "cancel" | "subscribe" | "createPush" | "getPush";

const schemas: { readonly [O in Known]: z.ZodType<OperationRequests[O]> } = {
  send,
  stream: send,
  get: wireObject({ id: text, historyLength: optional(count) }),
  cancel: wireObject({ id: text, metadata: optional(metadata) }),
  subscribe: wireObject({ id: text }),
  createPush: v01PushConfig,
  getPush: wireObject({ id: text }).transform(({ id }) => ({ taskId: id })),
};

export function decodeV01Request<O extends Operation>(operation: O, params: unknown): OperationRequests[O] {
  const schema = schemas[known(operation)] as z.ZodType<OperationRequests[O]>;
  return parseParams(schema, params);
}

const encoders: { readonly [O in Known]: (request: OperationRequests[O]) => Json } = {
  send: encodeSend,
  stream: encodeSend,
  get: ({ id, historyLength }) => ({ id, ...(historyLength !== undefined && { historyLength }) }),
  cancel: ({ id, metadata: meta }) => ({ id, ...(meta && { metadata: meta }) }),
  subscribe: ({ id }) => ({ id }),
  createPush: (request) => ({
    id: request.taskId,
    pushNotificationConfig: encodeLegacyPushConfig(request, { withId: false }),
  }),
  getPush: ({ taskId }) => ({ id: taskId }),
};

/** The params of a v0.1 call; the task's id is the caller's to choose. */
export function encodeV01Request<O extends Operation>(operation: O, request: OperationRequests[O]): Json {
  const encode = encoders[known(operation)] as (request: OperationRequests[O]) => Json;
  return encode(request);
}

function encodeSend({ message, configuration = {}, metadata: own }: DialectSendRequest): Json {
  const { taskId = randomUUID(), contextId, ...content } = message;
  const { acceptedOutputModes, historyLength, taskPushNotificationConfig: push } = configuration;
  const meta = carry(own, { returnImmediately: configuration.returnImmediately || undefined });
  return {
    id: taskId,
    ...(contextId && { sessionId: contextId }),
    message: encodeV01Message(content),
    ...(acceptedOutputModes && { acceptedOutputModes }),
    ...(push && { pushNotification: encodeLegacyPushConfig(push, { withId: false }) }),
    ...(historyLength !== undefined && { historyLength }),
    ...(meta && { metadata: meta }),
  };
}

function known(operation: Operation): Known {
  if (Object.hasOwn(schemas, operation)) return operation as Known;
  throw unsupportedOperation("0.1", operation);
}
