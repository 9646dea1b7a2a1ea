import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import type { Operation, OperationRequests } from "../../dialects/dialect.ts";
import { protoCard } from "../../dialects/v03/proto-card.ts";
import {
  protoEvent,
  protoPushConfig,
  protoPushConfigPage,
  protoSendResponse,
  protoTask,
} from "../../dialects/v03/proto-encode.ts";
import { protoJson } from "../../dialects/v03/proto-json.ts";
import { decodeV03ProtoRequest } from "../../dialects/v03/proto-requests.ts";
import type { GrpcCalls } from "./grpc-calls.ts";
import { plainJson } from "./plain-json.ts";

/** The service of A2A v0.3, `a2a.v1.A2AService`, which has no list of tasks. */
export function v03Service(calls: GrpcCalls): UntypedServiceImplementation {
  return {
    sendMessage: calls.unary({ operation: "send", read: reader("send"), write: protoSendResponse }),
    sendStreamingMessage: calls.streaming({
      read: (message: object) => ({ operation: "stream", request: reader("stream")(message) }),
      write: protoEvent,
    }),
    taskSubscription: calls.streaming({
      read: (message: object) => ({ operation: "subscribe", request: reader("subscribe")(message) }),
      write: protoEvent,
    }),
    getTask: calls.unary({ operation: "get", read: reader("get"), write: protoTask }),
    cancelTask: calls.unary({ operation: "cancel", read: reader("cancel"), write: protoTask }),
    createTaskPushNotificationConfig: calls.unary({
      operation: "createPush",
      read: reader("createPush"),
      write: protoPushConfig,
    }),
    getTaskPushNotificationConfig: calls.unary({
      operation: "getPush",
      read: reader("getPush"),
      write: protoPushConfig,
    }),
    listTaskPushNotificationConfig: calls.unary({
      operation: "listPush",
      read: reader("listPush"),
      write: protoPushConfigPage,
    }),
    deleteTaskPushNotificationConfig: calls.unary({
      operation: "deletePush",
      read: reader("deletePush"),
      write: () => ({}),
    }),
    getAgentCard: calls.unary({
      operation: "extendedCard",
      read: reader("extendedCard"),
      write: protoCard,
    }),
  };
}

function reader<O extends Operation>(operation: O) {
  return (message: object): OperationRequests[O] =>
    decodeV03ProtoRequest(operation, plainJson(protoJson(message)));
}
