import {
  type DialectSendRequest,
  type Operation,
  type OperationRequests,
  unsupportedOperation,
} from "../dialect.ts";
import { protoMessage, protoPushConfig } from "./proto-encode.ts";

const messages: { readonly [O in Operation]: (request: OperationRequests[O]) => object } = {
  send: sendRequest,
  stream: sendRequest,
  get: ({ id, historyLength = 0 }) => ({ name: taskName(id), historyLength }),
  list: () => {
    throw unsupportedOperation("0.3", "list");
  },
  cancel: ({ id }) => ({ name: taskName(id) }),
  subscribe: ({ id }) => ({ name: taskName(id) }),
  createPush: (config) => ({
    parent: taskName(config.taskId),
    configId: config.id ?? "",
    config: protoPushConfig(config),
  }),
  getPush: ({ taskId, id }) => ({ name: configName(taskId, id) }),
  listPush: ({ taskId, pageSize = 0, pageToken = "" }) => ({ parent: taskName(taskId), pageSize, pageToken }),
  deletePush: ({ taskId, id }) => ({ name: configName(taskId, id) }),
  extendedCard: () => ({}),
};

/** The request of an operation as a message of package a2a.v1; throws UnsupportedOperation for a list. */
export function protoRequest<O extends Operation>(operation: O, request: OperationRequests[O]): object {
  return messages[operation](request);
}

function sendRequest({ message, configuration = {}, metadata }: DialectSendRequest): object {
  const { acceptedOutputModes = [], historyLength = 0, returnImmediately } = configuration;
  const { taskPushNotificationConfig: push } = configuration;
  return {
    request: protoMessage(message),
    configuration: {
      acceptedOutputModes: [...acceptedOutputModes],
      pushNotification: push && protoPushConfig(push).pushNotificationConfig,
      historyLength,
      blocking: !returnImmediately,
    },
    metadata,
  };
}

function taskName(id: string): string {
  return `tasks/${id}`;
}

function configName(taskId: string, id: string | undefined): string {
  return `${taskName(taskId)}/pushNotificationConfigs${id === undefined ? "" : `/${id}`}`;
}
