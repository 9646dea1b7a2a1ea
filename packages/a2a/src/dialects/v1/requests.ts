import { z } from "zod";
import type { PushConfig } from "../../protocol/model.ts";
import type { Operation, OperationRequests } from "../dialect.ts";
import { count, MAX_ITEMS, metadata, optional, parseParams, timestamp } from "../wire-schema.ts";
import { protoObject, taskState, v1Content } from "./content.ts";

const text = z.string();
const tenant = optional(text);

const authentication = protoObject({ scheme: text, credentials: optional(text) });

const pushMembers = {
  id: optional(text),
  url: text,
  token: optional(text),
  authentication: optional(authentication),
};

/** A push config as `CreateTaskPushNotificationConfig` takes it and as it comes back. */
export const pushConfig: z.ZodType<PushConfig> = protoObject({ ...pushMembers, taskId: optional(text) });

const configuration = protoObject({
  acceptedOutputModes: optional(z.array(text).max(MAX_ITEMS)),
  taskPushNotificationConfig: optional(pushConfig),
  historyLength: optional(count),
  returnImmediately: optional(z.boolean()),
});

const send = protoObject({
  message: v1Content.sentMessage,
  configuration: optional(configuration),
  metadata: optional(metadata),
  tenant,
});

const list = protoObject({
  contextId: optional(text),
  status: optional(taskState),
  pageSize: optional(count.pipe(z.number().min(1).max(100))),
  pageToken: optional(text),
  historyLength: optional(count),
  statusTimestampAfter: optional(timestamp),
  includeArtifacts: optional(z.boolean()),
  tenant,
}).transform(({ status, ...rest }) => ({ ...rest, ...(status && { status }) }));

// Unlike that of ListTasks, this page size has no presence: 0 is the default.
const listPush = protoObject({
  taskId: text,
  pageSize: optional(count),
  pageToken: optional(text),
  tenant,
}).transform(({ pageSize, ...rest }) => ({ ...rest, ...(pageSize && { pageSize }) }));

const schemas: { readonly [O in Operation]: z.ZodType<OperationRequests[O]> } = {
  send,
  stream: send,
  get: protoObject({ id: text, historyLength: optional(count), tenant }),
  list,
  cancel: protoObject({ id: text, metadata: optional(metadata), tenant }),
  subscribe: protoObject({ id: text, tenant }),
  createPush: protoObject({ ...pushMembers, taskId: text, tenant }),
  getPush: protoObject({ taskId: text, id: optional(text), tenant }),
  listPush,
  deletePush: protoObject({ taskId: text, id: text, tenant }),
  extendedCard: protoObject({ tenant }),
};

/** The request of a v1.0 call, from JSON-RPC params or from what a REST call puts together. */
export function decodeV1Request<O extends Operation>(operation: O, params: unknown): OperationRequests[O] {
  const schema: z.ZodType<OperationRequests[O]> = schemas[operation];
  return parseParams(schema, params);
}
