import * as sdk from "@a2a-js/sdk";
import type {
  Operation,
  OperationRequests,
  OperationResults,
  UnaryOperation,
} from "../../dialects/dialect.ts";
import { v1Dialect } from "../../dialects/v1/dialect.ts";
import { decodeV03ProtoRequest } from "../../dialects/v03/proto-dialect.ts";
import { protoEvent, protoResults } from "../../dialects/v03/proto-encode.ts";
import { protoJson } from "../../dialects/v03/proto-json.ts";
import type { StreamResponse } from "../../protocol/model.ts";
import { plainJson } from "./plain-json.ts";
import { toSdkEvent, toSdkTask } from "./sdk-objects.ts";

/** How one version of A2A names the methods of its service, reads their messages and writes their answers. */
export interface GrpcFormat {
  readonly version: "1.0" | "0.3";
  readonly methods: Readonly<Partial<Record<Operation, string>>>;
  /** Reads a message by way of its JSON, so that what is refused there is refused here. */
  read<O extends Operation>(operation: O, message: object): OperationRequests[O];
  readonly results: { readonly [O in UnaryOperation]: (result: OperationResults[O]) => object };
  readonly event: (event: StreamResponse) => object;
}

interface ProtoType {
  toJSON(message: never): unknown;
  fromJSON(json: unknown): object;
}

/** The type of request of each operation of v1.0, as the SDK generates it. */
export const V1_REQUESTS: Readonly<Record<Operation, ProtoType>> = {
  send: sdk.SendMessageRequest,
  stream: sdk.SendMessageRequest,
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

const toSdkPushConfig = sdk.TaskPushNotificationConfig.fromJSON;

/** The service of A2A v1.0, `lf.a2a.v1.A2AService`. */
export const V1_FORMAT: GrpcFormat = {
  version: "1.0",
  methods: {
    send: "sendMessage",
    stream: "sendStreamingMessage",
    get: "getTask",
    list: "listTasks",
    cancel: "cancelTask",
    subscribe: "subscribeToTask",
    createPush: "createTaskPushNotificationConfig",
    getPush: "getTaskPushNotificationConfig",
    listPush: "listTaskPushNotificationConfigs",
    deletePush: "deleteTaskPushNotificationConfig",
    extendedCard: "getExtendedAgentCard",
  },
  read: (operation, message) =>
    v1Dialect.decodeRequest(operation, plainJson(V1_REQUESTS[operation].toJSON(message as never))),
  results: {
    send: toSdkEvent,
    get: toSdkTask,
    list: ({ tasks, ...page }) => ({ ...page, tasks: tasks.map(toSdkTask) }),
    cancel: toSdkTask,
    createPush: toSdkPushConfig,
    getPush: toSdkPushConfig,
    listPush: ({ configs, nextPageToken }) => ({ configs: configs.map(toSdkPushConfig), nextPageToken }),
    deletePush: () => ({}),
    extendedCard: sdk.AgentCard.fromJSON,
  },
  event: toSdkEvent,
};

/** The service of A2A v0.3, `a2a.v1.A2AService`, which has no list of tasks. */
export const V03_FORMAT: GrpcFormat = {
  version: "0.3",
  methods: {
    send: "sendMessage",
    stream: "sendStreamingMessage",
    get: "getTask",
    cancel: "cancelTask",
    subscribe: "taskSubscription",
    createPush: "createTaskPushNotificationConfig",
    getPush: "getTaskPushNotificationConfig",
    listPush: "listTaskPushNotificationConfig",
    deletePush: "deleteTaskPushNotificationConfig",
    extendedCard: "getAgentCard",
  },
  read: (operation, message) => decodeV03ProtoRequest(operation, plainJson(protoJson(message))),
  results: protoResults,
  event: protoEvent,
};
