import * as sdk from "@a2a-js/sdk";
import { LegacyA2AService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import { type GrpcFormat, V1_FORMAT, V1_REQUESTS, V03_FORMAT } from "../../../bindings/grpc/grpc-formats.ts";
import { jsonProblem } from "../../../bindings/grpc/plain-json.ts";
import { toSdkMessage } from "../../../bindings/grpc/sdk-objects.ts";
import {
  type EventDecoder,
  type Operation,
  type OperationRequests,
  type TaskNames,
  unsupportedOperation,
} from "../../../dialects/dialect.ts";
import { v1Dialect } from "../../../dialects/v1/dialect.ts";
import { decodeV03ProtoAnswer, v03ProtoEventDecoder } from "../../../dialects/v03/proto-dialect.ts";
import { protoJson } from "../../../dialects/v03/proto-json.ts";
import { protoRequest } from "../../../dialects/v03/proto-requests.ts";
import { A2AError } from "../../../protocol/errors.ts";

export type GrpcDialect = "1.0" | "0.3";

/** One method of a service, as the SDK's generated code defines it. */
export interface GrpcMethod {
  readonly path: string;
  requestSerialize(message: object): Buffer;
  responseDeserialize(bytes: Buffer): object;
}

/** One version of A2A as its service's messages. */
export interface GrpcWire {
  /** Throws UnsupportedOperation for what this version lacks. */
  method(operation: Operation): GrpcMethod;
  encode<O extends Operation>(operation: O, request: OperationRequests[O]): object;
  /** The JSON of an answer or event; throws InvalidAgentResponse for bytes that are none. */
  json(operation: Operation, answer: Buffer): unknown;
  readonly decodeResult: typeof v1Dialect.decodeResult;
  eventDecoder(task?: TaskNames): EventDecoder;
}

export const GRPC_WIRES: Readonly<Record<GrpcDialect, GrpcWire>> = {
  "1.0": {
    method: (operation) => methodIn(A2AService, V1_FORMAT, operation),
    encode: v1Request,
    json: (operation, answer) =>
      jsonOf(methodIn(A2AService, V1_FORMAT, operation), answer, (it) => v1AnswerJson(operation, it)),
    decodeResult: v1Dialect.decodeResult,
    eventDecoder: v1Dialect.eventDecoder,
  },
  "0.3": {
    method: (operation) => methodIn(LegacyA2AService, V03_FORMAT, operation),
    encode: protoRequest,
    json: (operation, answer) => jsonOf(methodIn(LegacyA2AService, V03_FORMAT, operation), answer, protoJson),
    decodeResult: decodeV03ProtoAnswer,
    eventDecoder: v03ProtoEventDecoder,
  },
};

function methodIn(service: object, { version, methods }: GrpcFormat, operation: Operation): GrpcMethod {
  const name = methods[operation];
  if (name === undefined) throw unsupportedOperation(version, operation);
  // The generated definitions are right by themselves; only what they have in common is needed here.
  return (service as Record<string, GrpcMethod>)[name] as GrpcMethod;
}

function jsonOf(method: GrpcMethod, answer: Buffer, toJson: (message: object) => unknown): unknown {
  let json: unknown;
  try {
    json = toJson(method.responseDeserialize(answer));
  } catch {
    throw new A2AError("InvalidAgentResponse", "The answer is not a message of this method");
  }
  const problem = jsonProblem(json);
  if (problem === undefined) return json;
  throw new A2AError("InvalidAgentResponse", `The answer ${problem}`);
}

interface Reader {
  toJSON(message: never): unknown;
}

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

function v1Request<O extends Operation>(operation: O, request: OperationRequests[O]): object {
  if (operation === "send" || operation === "stream")
    return sendRequest(request as OperationRequests["send"]);
  return V1_REQUESTS[operation].fromJSON(v1Dialect.encodeRequest(operation, request));
}

function v1AnswerJson(operation: Operation, message: object): unknown {
  return operation === "deletePush" ? {} : ANSWERS[operation].toJSON(message as never);
}

// The generated reader loses a part whose data is null, so the message is not made by it.
function sendRequest({ message, configuration, metadata, tenant }: OperationRequests["send"]): object {
  const around = sdk.SendMessageRequest.fromJSON({ configuration, metadata, tenant });
  return { ...around, message: toSdkMessage(message) };
}
