import type { Operation, OperationRequests } from "../dialects/dialect.ts";
import { protoRequest } from "../dialects/v03-proto-asking.ts";
import { protoPushConfig } from "../dialects/v03-proto-encode.ts";
import { protoJson } from "../dialects/v03-proto-json.ts";
import { pathSegment, type RestRequest } from "./rest-requests.ts";

/** The method and path of every operation of v0.3; what the path names is taken from the request. */
const PATHS: Readonly<Record<Operation, readonly [method: "GET" | "POST" | "DELETE", path: string]>> = {
  send: ["POST", "/message:send"],
  stream: ["POST", "/message:stream"],
  get: ["GET", "/tasks/{id}"],
  list: ["GET", "/tasks"],
  cancel: ["POST", "/tasks/{id}:cancel"],
  subscribe: ["GET", "/tasks/{id}:subscribe"],
  createPush: ["POST", "/tasks/{taskId}/pushNotificationConfigs"],
  getPush: ["GET", "/tasks/{taskId}/pushNotificationConfigs/{id}"],
  listPush: ["GET", "/tasks/{taskId}/pushNotificationConfigs"],
  deletePush: ["DELETE", "/tasks/{taskId}/pushNotificationConfigs/{id}"],
  extendedCard: ["GET", "/card"],
};

/** One operation as REST of v0.3 asks for it, in ProtoJSON; throws InvalidParams when the path lacks a name. */
export function legacyRestRequest<O extends Operation>(
  operation: O,
  request: OperationRequests[O],
): RestRequest {
  const [method, template] = PATHS[operation];
  const { name: _, ...message } = protoJson(protoRequest(operation, request));
  const names: Readonly<Record<string, unknown>> = { ...request };
  const path = `/v1${template.replace(/\{(\w+)\}/g, (_, name: string) => pathSegment(name, names[name]))}`;
  if (method === "POST") return { method, path, query: {}, body: JSON.stringify(message) };
  const { historyLength } = message;
  const query = historyLength === undefined ? {} : { historyLength: String(historyLength) };
  return { method, path, query, body: undefined };
}

/** A push config alone, for agents that take the body for it and not for the request around it. */
export function otherLegacyRestRequest<O extends Operation>(
  operation: O,
  request: OperationRequests[O],
): RestRequest | undefined {
  if (operation !== "createPush") return undefined;
  const config = protoPushConfig(request as OperationRequests["createPush"]);
  return { ...legacyRestRequest(operation, request), body: JSON.stringify(protoJson(config)) };
}
