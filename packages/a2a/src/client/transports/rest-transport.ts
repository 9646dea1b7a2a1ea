import type { AgentEndpoint } from "../../cards/card-endpoints.ts";
import type { DialectVersion, Operation, OperationRequests } from "../../dialects/dialect.ts";
import { textMembers } from "../../dialects/error-object.ts";
import { v1Dialect } from "../../dialects/v1/dialect.ts";
import { v03Dialect } from "../../dialects/v03/dialect.ts";
import { decodeV03ProtoAnswer, v03ProtoEventDecoder } from "../../dialects/v03/proto-dialect.ts";
import { protoPushConfig } from "../../dialects/v03/proto-encode.ts";
import { protoJson } from "../../dialects/v03/proto-json.ts";
import { protoRequest } from "../../dialects/v03/proto-requests.ts";
import { A2AError, type A2AErrorKind } from "../../protocol/errors.ts";
import { isObject } from "../../protocol/model.ts";
import { kindOfReason } from "./error-reasons.ts";
import { type HttpEncoding, type HttpRequest, httpTransport } from "./http-transport.ts";
import type { Transport, TransportSettings } from "./transport.ts";

/** A2A v1.0 and v0.3 over REST, which the specification calls HTTP+JSON. */
export function restTransport(endpoint: AgentEndpoint, settings: TransportSettings): Transport | undefined {
  const { binding, dialect, url } = endpoint;
  const encoding = REST_ENCODINGS[dialect];
  if (binding !== "HTTP+JSON" || !encoding) return undefined;
  // The path of v0.3 begins with its version, and some cards name that already.
  return httpTransport(dialect === "0.3" ? url.replace(/\/v1\/?$/, "") : url, encoding, settings);
}

/** The method and path of every operation; what the path names is taken from the request. */
const REST_PATHS: Readonly<Record<Operation, readonly ["GET" | "POST" | "DELETE", string]>> = {
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
const V03_PATHS: typeof REST_PATHS = { ...REST_PATHS, extendedCard: ["GET", "/card"] };

/** The versions that have REST, and how each writes it. */
export const REST_ENCODINGS: Partial<Readonly<Record<DialectVersion, HttpEncoding>>> = {
  "1.0": {
    mediaType: "application/a2a+json",
    request: restRequest,
    decodeResult: v1Dialect.decodeResult,
    eventDecoder: v1Dialect.eventDecoder,
    errorIn: decodeRestError,
  },
  "0.3": {
    mediaType: "application/json",
    request: legacyRestRequest,
    otherwise: otherLegacyRestRequest,
    decodeResult: decodeV03ProtoAnswer,
    eventDecoder: v03ProtoEventDecoder,
    // The code of JSON-RPC without anything around it; some agents answer as v1.0 does.
    errorIn: (body) =>
      isObject(body) && typeof body.code === "number" ? v03Dialect.decodeError(body) : decodeRestError(body),
  },
};

/** Takes a request apart into path, query and body; throws InvalidParams when the path lacks a name. */
function restRequest<O extends Operation>(operation: O, request: OperationRequests[O]): HttpRequest {
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

/** Encodes a name as a path segment; throws InvalidParams if it cannot be one. */
function pathSegment(name: string, value: unknown): string {
  // "." and ".." would be taken for steps in the path, however they are escaped.
  if (typeof value === "string" && !/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
  throw new A2AError("InvalidParams", `${name}: must be there, and be a name`, { field: name });
}

/** One operation as REST of v0.3 asks for it, in ProtoJSON; throws InvalidParams when the path lacks a name. */
function legacyRestRequest<O extends Operation>(operation: O, request: OperationRequests[O]): HttpRequest {
  const [method, template] = V03_PATHS[operation];
  const { name: _, ...message } = protoJson(protoRequest(operation, request));
  const names: Readonly<Record<string, unknown>> = { ...request };
  const path = `/v1${template.replace(/\{(\w+)\}/g, (_, name: string) => pathSegment(name, names[name]))}`;
  if (method === "POST") return { method, path, query: {}, body: JSON.stringify(message) };
  const { historyLength } = message;
  const query = historyLength === undefined ? {} : { historyLength: String(historyLength) };
  return { method, path, query, body: undefined };
}

/** A push config alone, for agents that take the body for it and not for the request around it. */
function otherLegacyRestRequest<O extends Operation>(
  operation: O,
  request: OperationRequests[O],
): HttpRequest | undefined {
  if (operation !== "createPush") return undefined;
  const config = protoPushConfig(request as OperationRequests["createPush"]);
  return { ...legacyRestRequest(operation, request), body: JSON.stringify(protoJson(config)) };
}

/** What the status alone can mean where an agent gives no reason. */
const BY_STATUS: Readonly<Record<number, A2AErrorKind>> = {
  400: "InvalidParams",
  404: "TaskNotFound",
  405: "MethodNotFound",
  409: "TaskNotCancelable",
  415: "ContentTypeNotSupported",
  501: "UnsupportedOperation",
};

/** The error in a REST body, `{error: {code, message, details}}`; undefined when the body is not one of A2A's. */
export function decodeRestError(body: unknown): A2AError | undefined {
  const error = isObject(body) ? body.error : undefined;
  if (!isObject(error) || typeof error.code !== "number" || typeof error.message !== "string") {
    return undefined;
  }
  const details = Array.isArray(error.details) ? error.details.filter(isObject) : [];
  const info = details.find(({ reason }) => typeof reason === "string");
  const kind = kindOfReason(String(info?.reason ?? "")) ?? BY_STATUS[error.code];
  const facts = textMembers(info?.metadata);
  if (kind) return new A2AError(kind, error.message, facts);
  // A 401, 429 or 503 is more useful as a status than as an internal error.
  return error.code === 500 ? new A2AError("Internal", error.message, facts) : undefined;
}
