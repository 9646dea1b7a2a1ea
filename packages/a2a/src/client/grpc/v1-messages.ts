import * as sdk from "@a2a-js/sdk";
import { toSdkMessage } from "../../bindings/sdk/sdk-objects.ts";
import type { Operation, OperationRequests } from "../../dialects/dialect.ts";
import { v1Dialect } from "../../dialects/v1-dialect.ts";

interface Writer {
  fromJSON(json: unknown): object;
}
interface Reader {
  toJSON(message: never): unknown;
}

const REQUESTS: Readonly<Record<Exclude<Operation, "send" | "stream">, Writer>> = {
  get: sdk.GetTaskRequest,
  list: sdk.ListTasksRequest,
  cancel: sdk.CancelTaskRequest,
  subscribe: sdk.SubscribeToTaskRequest,
  createPush: sdk.TaskPushNotificationConfig,
  getPush: sdk.GetTaskPushNotificationConfigRequest,
  listPush: sdk.ListTaskPushNotificationConfigsRequest,
  deletePush: sdk.DeleteTaskPushNotificationConfigRequest,
  extendedCard: sdk.GetExtendedAgentCardRequest,
};

const ANSWERS: Readonly<Record<Exclude<Operation, "deletePush">, Reader>> = {
  send: sdk.SendMessageResponse,
  stream: sdk.StreamResponse,
  get: sdk.Task,
  list: sdk.ListTasksResponse,
  cancel: sdk.Task,
  subscribe: sdk.StreamResponse,
  createPush: sdk.TaskPushNotificationConfig,
  getPush: sdk.TaskPushNotificationConfig,
  listPush: sdk.ListTaskPushNotificationConfigsResponse,
  extendedCard: sdk.AgentCard,
};

/** The request of an operation as a message of package lf.a2a.v1. */
export function v1Request<O extends Operation>(operation: O, request: OperationRequests[O]): object {
  if (operation === "send" || operation === "stream")
    return sendRequest(request as OperationRequests["send"]);
  const type = REQUESTS[operation as Exclude<Operation, "send" | "stream">];
  return type.fromJSON(v1Dialect.encodeRequest(operation, request));
}

/** The JSON of what answers an operation, or of one event of a stream. */
export function v1AnswerJson(operation: Operation, message: object): unknown {
  return operation === "deletePush" ? {} : ANSWERS[operation].toJSON(message as never);
}

// The generated reader loses a part whose data is null, so the message is not made by it.
function sendRequest({ message, configuration, metadata, tenant }: OperationRequests["send"]): object {
  const around = sdk.SendMessageRequest.fromJSON({ configuration, metadata, tenant });
  return { ...around, message: toSdkMessage(message) };
}
