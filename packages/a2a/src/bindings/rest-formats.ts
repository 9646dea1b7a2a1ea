import type { AnsweringDialect } from "../dialects/dialect.ts";
import { INTERNAL_MESSAGE } from "../dialects/error-object.ts";
import { v1Dialect } from "../dialects/v1/dialect.ts";
import { errorDetails } from "../dialects/v1/errors.ts";
import { v03Dialect } from "../dialects/v03/dialect.ts";
import { v03ProtoDialect } from "../dialects/v03/proto-dialect.ts";
import { A2A_ERRORS, type A2AError } from "../protocol/errors.ts";
import { HttpError, restStatus, rpcStatus } from "./http-error.ts";
import { type RestRouter, restRouter } from "./rest-routes.ts";

/** How one version of A2A is written over REST. */
export interface RestFormat {
  readonly dialect: AnsweringDialect;
  readonly contentType: string;
  /** What a method and a path below the root ask for. */
  readonly routes: RestRouter;
  readonly errorStatus: (error: A2AError) => number;
  /** The body of an error, which is also the data of a stream's last frame. */
  readonly errorText: (error: A2AError) => string;
}

/** A2A v1.0 over REST. */
export const restFormat: RestFormat = {
  dialect: v1Dialect,
  contentType: "application/a2a+json",
  // Without a tenant first: a tenant cannot shadow a defined path.
  routes: restRouter(["", "/{tenant}"], {
    "/message:send": { POST: "send" },
    "/message:stream": { POST: "stream" },
    "/tasks": { GET: "list" },
    "/tasks/{id}:cancel": { POST: "cancel" },
    "/tasks/{id}:subscribe": { GET: "subscribe", POST: "subscribe" },
    "/tasks/{id}": { GET: "get" },
    "/tasks/{taskId}/pushNotificationConfigs": { GET: "listPush", POST: "createPush" },
    "/tasks/{taskId}/pushNotificationConfigs/{id}": { GET: "getPush", DELETE: "deletePush" },
    "/extendedAgentCard": { GET: "extendedCard" },
  }),
  errorStatus: restStatus,
  errorText: (error) => {
    const message = error.kind === "Internal" ? INTERNAL_MESSAGE : error.message;
    const about = { code: restStatus(error), status: rpcStatus(error), message };
    return JSON.stringify({ error: { ...about, details: errorDetails(error) } });
  },
};

/** Everything below this path is v0.3, so no tenant can have this name. */
export const LEGACY_PREFIX = "/v1";

/** A2A v0.3 over REST: ProtoJSON, and errors with the codes of JSON-RPC but without an envelope. */
export const legacyRestFormat: RestFormat = {
  dialect: v03ProtoDialect,
  contentType: "application/json",
  routes: restRouter([LEGACY_PREFIX], {
    "/message:send": { POST: "send" },
    "/message:stream": { POST: "stream" },
    "/tasks/{id}:cancel": { POST: "cancel" },
    "/tasks/{id}:subscribe": { GET: "subscribe", POST: "subscribe" },
    "/tasks/{id}": { GET: "get" },
    "/tasks/{id}/pushNotificationConfigs": { GET: "listPush", POST: "createPush" },
    "/tasks/{id}/pushNotificationConfigs/{pushNotificationConfigId}": {
      GET: "getPush",
      DELETE: "deletePush",
    },
    "/card": { GET: "extendedCard" },
  }),
  errorStatus: (error) => (error instanceof HttpError ? error.answer.status : A2A_ERRORS[error.kind].httpV03),
  errorText: (error) => JSON.stringify(v03Dialect.encodeError(error)),
};
