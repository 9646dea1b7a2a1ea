import type { IncomingMessage, RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { OpenAPIHono } from "@hono/zod-openapi";
import {
  ADAPTERS,
  type AdapterHost,
  adapterAt,
  issueCode,
  Problem,
  problemOf,
  refusalAt,
} from "@parley/adapters";
import type { Identity } from "@parley/identity";
import type { Principal } from "@parley/sessions";
import { type Context, Hono } from "hono";
import { checkRole } from "../access/check-role.ts";
import { SECURITY_HEADERS } from "../http/answer-parts.ts";
import { clientAddressOf } from "../http/client-address.ts";
import { heldAnswers } from "../http/held-answers.ts";
import { tracedRequests } from "../telemetry/traced-requests.ts";
import { documentRoutes } from "./api-document.ts";
import {
  type Api,
  type ApiEnvironment,
  type ApiOptions,
  type ApiRoutes,
  withDefaults,
} from "./api-options.ts";
import { eventStreamRoute } from "./events/event-stream-route.ts";
import { limitedJson } from "./read-body.ts";
import { callerName, RequestRates } from "./request-rates.ts";
import { agentRoutes } from "./routes/agent-routes.ts";
import { approvalRoutes } from "./routes/approval-routes.ts";
import { auditRoutes } from "./routes/audit-routes.ts";
import { comparisonRoute } from "./routes/comparison-route.ts";
import { fileRoutes, takesAnyType } from "./routes/file-routes.ts";
import { forkRoutes } from "./routes/fork-routes.ts";
import { inspectionRoutes } from "./routes/inspection-routes.ts";
import { keyRoutes } from "./routes/key-routes.ts";
import { legacyRoutes } from "./routes/legacy-routes.ts";
import { messageRoutes } from "./routes/message-routes.ts";
import { peopleRoutes } from "./routes/people-routes.ts";
import { runRoutes } from "./routes/run-routes.ts";
import { sessionRoutes } from "./routes/session-routes.ts";
import { settingsRoutes } from "./routes/settings-routes.ts";
import { shareRoutes } from "./routes/share-routes.ts";
import { sharedRoutes } from "./routes/shared-routes.ts";
import { transferRoutes } from "./routes/transfer-routes.ts";
import { webhookRoutes } from "./routes/webhook-routes.ts";
import { readSession } from "./session-reading.ts";

const READS = new Set(["GET", "HEAD", "OPTIONS"]);
const IMPORT = "/api/v1/sessions/import";

/** The API under `/api/v1`, `/sessions` for legacy clients, and the adapters of other protocols. */
export function apiApplication(options: ApiOptions): Hono<ApiEnvironment> {
  const api = withDefaults(options);
  const rates = api.limits.requests && new RequestRates(api.limits.requests);
  // People paste URLs with a trailing slash.
  const routes = new Hono<ApiEnvironment>({ strict: false });
  routes.use(tracedRequests(api.tracing));
  routes.use(async (context, next) => {
    const identity = await api.identityOf(context.env.incoming);
    const principal = principalOf(identity, context.env.incoming);
    context.set("identity", identity);
    context.set("principal", principal);
    context.set("key", context.req.header("Idempotency-Key"));
    rates?.count(principal, READS.has(context.req.method) ? "reads" : "commands");
    checkRole(identity, context.req);
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      if (!context.res.headers.has(name)) context.header(name, value);
  });
  const json = limitedJson(api.turns);
  const importJson = limitedJson(api.turns, api.limits.importBytes);
  routes.on(["POST", "PUT", "PATCH", "DELETE"], "*", (context, next) => {
    if (takesAnyType(context.req.path)) return next();
    const most = adapterAt(context.req.path)?.bodyBytes;
    if (most !== undefined) return limitedJson(api.turns, most)(context, next);
    return context.req.path === IMPORT ? importJson(context, next) : json(context, next);
  });
  routes.route("/api/v1", versionedRoutes(api));
  routes.route("/sessions", legacyRoutes(api));
  const host = adapterHost(api);
  for (const adapter of ADAPTERS) routes.route("/", adapter.routes(host));
  routes.notFound((context) =>
    refuse(context, new Problem("not_found", `No such endpoint: ${context.req.method} ${context.req.path}`)),
  );
  // The cause may contain secrets: it goes to the log, never to the caller.
  routes.onError((error, context) => {
    const problem = problemOf(error);
    if (problem) return refuse(context, problem);
    api.log.error({ err: error, method: context.req.method, path: context.req.path }, "request failed");
    return refuse(context, new Problem("internal", "Internal error; see the server log"));
  });
  return routes;
}

function versionedRoutes(api: Api): ApiRoutes {
  const routes: ApiRoutes = new OpenAPIHono<ApiEnvironment>({
    defaultHook: (result, context) => {
      if (result.success) return;
      // Anything that cannot be an id is not found.
      if (result.target === "param") return refuse(context, new Problem("not_found", "Not found"));
      const target = result.target === "json" ? "body" : result.target;
      const errors = result.error.issues.map(({ path, message }) => ({
        path: [target, ...path].join("."),
        message,
      }));
      const details = errors.slice(0, 3).map(({ path, message }) => `${path}: ${message}`);
      const code = issueCode(result.error.issues[0]);
      return refuse(context, new Problem(code, details.join("; "), { errors: errors.slice(0, 20) }));
    },
  });
  // Fixed paths before those with a parameter in the same segment.
  for (const part of [
    transferRoutes,
    runRoutes,
    sessionRoutes,
    messageRoutes,
    forkRoutes,
    comparisonRoute,
    approvalRoutes,
    inspectionRoutes,
    eventStreamRoute,
    fileRoutes,
    agentRoutes,
    settingsRoutes,
    keyRoutes,
    auditRoutes,
    webhookRoutes,
    peopleRoutes,
    shareRoutes,
    sharedRoutes,
  ])
    routes.route("/", part(api));
  routes.route("/", documentRoutes(routes, api.version));
  return routes;
}

/** What the adapters of other protocols use of the API. */
function adapterHost(api: Api): AdapterHost {
  return {
    ...api,
    securityHeaders: SECURITY_HEADERS,
    reserveAnswer: (principal) => heldAnswers.make(callerName(principal)),
    readSession: (principal, state) => readSession(api.sessions, principal, state),
    noteRefusal(caller, target) {
      const { role } = caller;
      // This server set the identity of every request.
      api.notes?.note(caller as Identity, { action: "role.refused", target, details: { role } });
    },
  };
}

/** Readers of a share link are counted by link and address, so that they do not use up each other's limits. */
function principalOf({ owner, workspace, link }: Identity, request: IncomingMessage): Principal {
  return link === undefined
    ? { owner, workspace }
    : { owner: clientAddressOf(request), workspace: `link ${link}` };
}

function refuse(context: Context, problem: Problem): Response {
  const { status, headers, body } = refusalAt(context.req.path, problem);
  return context.body(body, status, headers);
}

const PATHS = /^\/(api\/v1|sessions)(\/|\?|$)/;

/** Serves the API and the adapters of other protocols; passes other requests to `next`. */
export function apiListener(options: ApiOptions, next: RequestListener): RequestListener {
  const { fetch } = apiApplication(options);
  const routes = getRequestListener(fetch as Parameters<typeof getRequestListener>[0]);
  return (request, response) =>
    PATHS.test(request.url ?? "") || adapterAt(request.url)
      ? routes(request, response)
      : next(request, response);
}
