import * as sdk from "@a2a-js/sdk";
import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import type { Operation, OperationRequests, SendAnswer } from "../../dialects/dialect.ts";
import { v1Dialect } from "../../dialects/v1/dialect.ts";
import { toSdkCard, toSdkPushConfig, toSdkPushConfigPage, toSdkTaskPage } from "../sdk/sdk-answers.ts";
import { toSdkEvent, toSdkMessage, toSdkTask } from "../sdk/sdk-objects.ts";
import type { GrpcCalls } from "./grpc-calls.ts";
import { plainJson } from "./plain-json.ts";

/** The service of A2A v1.0, `lf.a2a.v1.A2AService`. */
export function v1Service(calls: GrpcCalls): UntypedServiceImplementation {
  const readSend = reader("stream", sdk.SendMessageRequest);
  const readSubscribe = reader("subscribe", sdk.SubscribeToTaskRequest);
  return {
    sendMessage: calls.unary({
      operation: "send",
      read: reader("send", sdk.SendMessageRequest),
      write: sendResponse,
    }),
    sendStreamingMessage: calls.streaming({
      read: (message: sdk.SendMessageRequest) => ({ operation: "stream", request: readSend(message) }),
      write: toSdkEvent,
    }),
    subscribeToTask: calls.streaming({
      read: (message: sdk.SubscribeToTaskRequest) => ({
        operation: "subscribe",
        request: readSubscribe(message),
      }),
      write: toSdkEvent,
    }),
    getTask: calls.unary({
      operation: "get",
      read: reader("get", sdk.GetTaskRequest),
      write: toSdkTask,
    }),
    listTasks: calls.unary({
      operation: "list",
      read: reader("list", sdk.ListTasksRequest),
      write: toSdkTaskPage,
    }),
    cancelTask: calls.unary({
      operation: "cancel",
      read: reader("cancel", sdk.CancelTaskRequest),
      write: toSdkTask,
    }),
    createTaskPushNotificationConfig: calls.unary({
      operation: "createPush",
      read: reader("createPush", sdk.TaskPushNotificationConfig),
      write: toSdkPushConfig,
    }),
    getTaskPushNotificationConfig: calls.unary({
      operation: "getPush",
      read: reader("getPush", sdk.GetTaskPushNotificationConfigRequest),
      write: toSdkPushConfig,
    }),
    listTaskPushNotificationConfigs: calls.unary({
      operation: "listPush",
      read: reader("listPush", sdk.ListTaskPushNotificationConfigsRequest),
      write: toSdkPushConfigPage,
    }),
    deleteTaskPushNotificationConfig: calls.unary({
      operation: "deletePush",
      read: reader("deletePush", sdk.DeleteTaskPushNotificationConfigRequest),
      write: () => ({}),
    }),
    getExtendedAgentCard: calls.unary({
      operation: "extendedCard",
      read: reader("extendedCard", sdk.GetExtendedAgentCardRequest),
      write: toSdkCard,
    }),
  };
}

/** Reads a message by way of its JSON, so that what is refused there is refused here. */
function reader<O extends Operation, Q>(operation: O, type: { toJSON(message: Q): unknown }) {
  return (message: Q): OperationRequests[O] =>
    v1Dialect.decodeRequest(operation, plainJson(type.toJSON(message)));
}

function sendResponse(answer: SendAnswer): sdk.SendMessageResponse {
  return "task" in answer
    ? { payload: { $case: "task", value: toSdkTask(answer.task) } }
    : { payload: { $case: "message", value: toSdkMessage(answer.message) } };
}
