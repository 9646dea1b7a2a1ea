import type { Operation, OperationRequests } from "../dialects/dialect.ts";
import { v1Dialect } from "../dialects/v1/dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import { isObject } from "../protocol/model.ts";

/** The method and path of every operation; what the path names is taken from the request. */
export const REST_PATHS: Readonly<Record<Operation, readonly ["GET" | "POST" | "DELETE", string]>> = {
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
  extendedCard: ["GET", "/extendedAgentCard"],
};

/** One operation as REST asks for it. */
export interface RestRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Takes a request apart into path, query and body; throws InvalidParams when the path lacks a name. */
export function restRequest<O extends Operation>(operation: O, request: OperationRequests[O]): RestRequest {
  const [method, template] = REST_PATHS[operation];
  const encoded = v1Dialect.encodeRequest(operation, request);
  const { tenant, ...members } = isObject(encoded) ? encoded : {};
  const named = new Set<string>();
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    named.add(name);
    return pathSegment(name, members[name]);
  });
  const rest = Object.entries(members).filter(([name, value]) => value !== undefined && !named.has(name));
  const prefix = tenant ? `/${pathSegment("tenant", tenant)}` : "";
  if (method === "POST") {
    return { method, path: prefix + path, query: {}, body: JSON.stringify(Object.fromEntries(rest)) };
  }
  const query = Object.fromEntries(rest.map(([name, value]) => [name, String(value)]));
  return { method, path: prefix + path, query, body: undefined };
}

/** A name as a part of a path; throws InvalidParams for what is none. */
export function pathSegment(name: string, value: unknown): string {
  // "." and ".." would be taken for steps in the path, however they are escaped.
  if (typeof value === "string" && !/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
  throw new A2AError("InvalidParams", `${name}: must be there, and be a name`, { field: name });
}
