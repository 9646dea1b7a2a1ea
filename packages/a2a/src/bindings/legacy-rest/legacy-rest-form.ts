import { v03Dialect } from "../../dialects/v03/dialect.ts";
import { v03ProtoDialect } from "../../dialects/v03/proto-dialect.ts";
import type { A2AError, A2AErrorKind } from "../../protocol/errors.ts";
import { HttpError } from "../http-error.ts";
import { type RestForm, restRouter } from "../rest-routes.ts";

/** Below this all is v0.3, so no tenant can have this name. */
export const LEGACY_PREFIX = "/v1";

const routes = restRouter([LEGACY_PREFIX], {
  "/message:send": { POST: "send" },
  "/message:stream": { POST: "stream" },
  "/tasks/{id}:cancel": { POST: "cancel" },
  "/tasks/{id}:subscribe": { GET: "subscribe", POST: "subscribe" },
  "/tasks/{id}": { GET: "get" },
  "/tasks/{id}/pushNotificationConfigs": { GET: "listPush", POST: "createPush" },
  "/tasks/{id}/pushNotificationConfigs/{pushNotificationConfigId}": { GET: "getPush", DELETE: "deletePush" },
  "/card": { GET: "extendedCard" },
});

/** As the SDKs of v0.3 have them, which say more with HTTP's own statuses than v1.0 does. */
const STATUSES: Readonly<Record<A2AErrorKind, number>> = {
  ParseError: 400,
  InvalidRequest: 400,
  MethodNotFound: 404,
  InvalidParams: 400,
  Internal: 500,
  TaskNotFound: 404,
  TaskNotCancelable: 409,
  PushNotificationNotSupported: 400,
  UnsupportedOperation: 400,
  ContentTypeNotSupported: 415,
  InvalidAgentResponse: 502,
  ExtendedAgentCardNotConfigured: 404,
  ExtensionSupportRequired: 400,
  VersionNotSupported: 400,
};

/** A2A v0.3 over REST: ProtoJSON, and errors with the codes of JSON-RPC but without anything around them. */
export const legacyRestForm: RestForm = {
  dialect: v03ProtoDialect,
  contentType: "application/json",
  routes,
  errorStatus,
  errorText: (error) => JSON.stringify(v03Dialect.encodeError(error)),
};

function errorStatus(error: A2AError): number {
  return error instanceof HttpError ? error.answer.status : STATUSES[error.kind];
}
