import * as sdk from "@a2a-js/sdk";
import { LegacyA2AService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import type { KnownTasks } from "./fuzz-target.ts";
import { V1_REQUESTS } from "./good-requests.ts";

/** A method of a service, and what to ask it. */
export interface GrpcRequest {
  readonly path: string;
  readonly message: object;
  serialize(message: object): Buffer;
  deserialize(bytes: Buffer): unknown;
  /** It cannot succeed here, because the task has ended or the agent lacks the operation. */
  readonly isRefused?: boolean;
}

export type GrpcRequests = (tasks: KnownTasks) => GrpcRequest[];

interface Method {
  readonly path: string;
  requestSerialize(message: never): Buffer;
  responseDeserialize(bytes: Buffer): unknown;
}

function ask(method: Method, message: object, isRefused = false): GrpcRequest {
  return {
    path: method.path,
    message,
    serialize: (it) => method.requestSerialize(it as never),
    deserialize: (bytes) => method.responseDeserialize(bytes),
    isRefused,
  };
}

/** v1.0, `lf.a2a.v1`. */
export const V1_GRPC_REQUESTS: GrpcRequests = (tasks) => {
  const { completed: id, waiting: taskId } = tasks;
  const send = sdk.SendMessageRequest.fromJSON(V1_REQUESTS.SendMessage?.(tasks));
  return [
    ask(A2AService.sendMessage, send),
    ask(A2AService.sendStreamingMessage, send),
    ask(A2AService.getTask, sdk.GetTaskRequest.fromJSON({ id, historyLength: 2 })),
    ask(A2AService.listTasks, sdk.ListTasksRequest.fromJSON(V1_REQUESTS.ListTasks?.(tasks))),
    ask(A2AService.subscribeToTask, sdk.SubscribeToTaskRequest.fromJSON({ id: taskId })),
    ask(A2AService.cancelTask, sdk.CancelTaskRequest.fromJSON({ id }), true),
    ask(
      A2AService.createTaskPushNotificationConfig,
      sdk.TaskPushNotificationConfig.fromJSON({ taskId, id: "c", url: "https://example.com/hook" }),
      true,
    ),
    ask(
      A2AService.getTaskPushNotificationConfig,
      sdk.GetTaskPushNotificationConfigRequest.fromJSON({ taskId, id: "c" }),
      true,
    ),
    ask(
      A2AService.listTaskPushNotificationConfigs,
      sdk.ListTaskPushNotificationConfigsRequest.fromJSON({ taskId }),
      true,
    ),
    ask(
      A2AService.deleteTaskPushNotificationConfig,
      sdk.DeleteTaskPushNotificationConfigRequest.fromJSON({ taskId, id: "c" }),
      true,
    ),
    ask(A2AService.getExtendedAgentCard, sdk.GetExtendedAgentCardRequest.fromJSON({ tenant: "acme" }), true),
  ];
};

const V03_SEND = {
  request: {
    messageId: "tck-artifact-text",
    contextId: "context",
    taskId: "",
    role: 1,
    content: [
      { part: { $case: "text", value: "hello" } },
      { part: { $case: "data", value: { data: { key: "value", list: [1, 2, 3] } } } },
      {
        part: {
          $case: "file",
          value: {
            file: { $case: "fileWithUri", value: "https://example.com/a.txt" },
            mimeType: "text/plain",
          },
        },
      },
    ],
    metadata: { note: 1 },
    extensions: ["urn:x"],
  },
  configuration: {
    acceptedOutputModes: ["text/plain"],
    pushNotification: undefined,
    historyLength: 3,
    blocking: true,
  },
  metadata: { trace: "1" },
};

/** v0.3, `a2a.v1`. */
export const V03_GRPC_REQUESTS: GrpcRequests = ({ completed, waiting }) => {
  const task = { name: `tasks/${waiting}` };
  const named = { name: `tasks/${waiting}/pushNotificationConfigs/c` };
  const config = {
    ...named,
    pushNotificationConfig: {
      id: "c",
      url: "https://example.com/hook",
      token: "",
      authentication: undefined,
    },
  };
  return [
    ask(LegacyA2AService.sendMessage, V03_SEND),
    ask(LegacyA2AService.sendStreamingMessage, V03_SEND),
    ask(LegacyA2AService.getTask, { name: `tasks/${completed}`, historyLength: 2 }),
    ask(LegacyA2AService.taskSubscription, task),
    ask(LegacyA2AService.cancelTask, { name: `tasks/${completed}` }, true),
    ask(
      LegacyA2AService.createTaskPushNotificationConfig,
      { parent: task.name, configId: "c", config },
      true,
    ),
    ask(LegacyA2AService.getTaskPushNotificationConfig, named, true),
    ask(
      LegacyA2AService.listTaskPushNotificationConfig,
      { parent: task.name, pageSize: 0, pageToken: "" },
      true,
    ),
    ask(LegacyA2AService.deleteTaskPushNotificationConfig, named, true),
    ask(LegacyA2AService.getAgentCard, {}, true),
  ];
};
