import type { DialectVersion, Operation, OperationRequests } from "../dialects/dialect.ts";
import { textMembers } from "../dialects/error-codes.ts";
import { v1Dialect } from "../dialects/v1/dialect.ts";
import { v03Dialect } from "../dialects/v03/dialect.ts";
import { decodeV03ProtoAnswer, v03ProtoEventDecoder } from "../dialects/v03/proto-dialect.ts";
import { protoPushConfig } from "../dialects/v03/proto-encode.ts";
import { protoJson } from "../dialects/v03/proto-json.ts";
import { protoRequest } from "../dialects/v03/proto-requests.ts";
import { A2AError, type A2AErrorKind } from "../protocol/errors.ts";
import { isObject } from "../protocol/model.ts";
import { kindOfReason } from "./error-reasons.ts";
import { pathSegment, REST_PATHS, type RestRequest, restRequest } from "./rest-requests.ts";

/** What tells one version's REST from another's, for whoever asks. */
export interface RestTongue {
  readonly mediaType: string;
  readonly request: <O extends Operation>(operation: O, request: OperationRequests[O]) => RestRequest;
  /** Another form of a request that was refused, where agents of this version differ. */
  readonly otherwise?: <O extends Operation>(
    operation: O,
    request: OperationRequests[O],
  ) => RestRequest | undefined;
  readonly decodeResult: typeof v1Dialect.decodeResult;
  readonly eventDecoder: typeof v1Dialect.eventDecoder;
  /** The error in a body or in a frame; undefined where there is none. */
  readonly errorIn: (body: unknown) => A2AError | undefined;
}

export const REST_TONGUES: Partial<Readonly<Record<DialectVersion, RestTongue>>> = {
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

const PATHS: typeof REST_PATHS = { ...REST_PATHS, extendedCard: ["GET", "/card"] };

/** One operation as REST of v0.3 asks for it, in ProtoJSON; throws InvalidParams when the path lacks a name. */
function legacyRestRequest<O extends Operation>(operation: O, request: OperationRequests[O]): RestRequest {
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
function otherLegacyRestRequest<O extends Operation>(
  operation: O,
  request: OperationRequests[O],
): RestRequest | undefined {
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
  // A 401, 429 or 503 says more as a status than as an internal error.
  return error.code === 500 ? new A2AError("Internal", error.message, facts) : undefined;
}
