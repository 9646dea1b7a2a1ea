import type { Json } from "../../protocol/model.ts";
import { type Dialect, methodTable } from "../dialect.ts";
import { decodeV1Answer, decodeV1Event } from "./answers.ts";
import { decodeV1Error, encodeV1Error } from "./errors.ts";
import { decodeV1Request } from "./requests.ts";

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
