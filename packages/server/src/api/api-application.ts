import type { IncomingMessage, RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { OpenAPIHono } from "@hono/zod-openapi";
import { ADAPTERS, adapterAt, issueCode, Problem, problemOf, refusalAt } from "@parley/adapters";
import type { Identity } from "@parley/identity";
import type { Principal } from "@parley/sessions";
import { type Context, Hono } from "hono";
import { checkRole } from "../access/check-role.ts";
import { SECURITY_HEADERS } from "../http/answer-parts.ts";
import { clientAddressOf } from "../http/client-address.ts";
import { tracedRequests } from "../telemetry/traced-requests.ts";
import { adapterHost } from "./adapter-host.ts";
import { documentRoutes } from "./api-document.ts";
import { type Api, type ApiEnvironment, type ApiOptions, type ApiRoutes, completed } from "./api-options.ts";
import { eventStreamRoute } from "./events/event-stream-route.ts";
import { limitedJson } from "./read-body.ts";
import { RequestRates } from "./request-rates.ts";
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

const READS = new Set(["GET", "HEAD", "OPTIONS"]);
const IMPORT = "/api/v1/sessions/import";

/** The API under `/api/v1`, `/sessions` for old clients, and the adapters of other protocols. */
export function apiApplication(options: ApiOptions): Hono<ApiEnvironment> {
  const api = completed(options);
  const rates = api.limits.requests && new RequestRates(api.limits.requests);
  // People paste addresses with a slash at the end.
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
  const imported = limitedJson(api.turns, api.limits.importBytes);
  routes.on(["POST", "PUT", "PATCH", "DELETE"], "*", (context, next) => {
    if (takesAnyType(context.req.path)) return next();
    const most = adapterAt(context.req.path)?.bodyBytes;
    if (most !== undefined) return limitedJson(api.turns, most)(context, next);
    return context.req.path === IMPORT ? imported(context, next) : json(context, next);
  });
  routes.route("/api/v1", versionedRoutes(api));
  routes.route("/sessions", legacyRoutes(api));
  const host = adapterHost(api);
  for (const adapter of ADAPTERS) routes.route("/", adapter.routes(host));
  routes.notFound((context) =>
    answered(
      context,
      new Problem("not_found", `There is nothing at ${context.req.method} ${context.req.path}`),
    ),
  );
  // The cause may hold anything, secrets included: it goes to the operator, never to the caller.
  routes.onError((error, context) => {
    const problem = problemOf(error);
    if (problem) return answered(context, problem);
    api.log.error({ err: error, method: context.req.method, path: context.req.path }, "request failed");
    return answered(context, new Problem("internal", "The log says what went wrong"));
  });
  return routes;
}

function versionedRoutes(api: Api): ApiRoutes {
  const routes: ApiRoutes = new OpenAPIHono<ApiEnvironment>({
    defaultHook: (result, context) => {
      if (result.success) return;
      // What cannot be an id is no one's.
      if (result.target === "param")
        return answered(context, new Problem("not_found", "There is no such thing"));
      const target = result.target === "json" ? "body" : result.target;
      const errors = result.error.issues.map(({ path, message }) => ({
        path: [target, ...path].join("."),
        message,
      }));
      const said = errors.slice(0, 3).map(({ path, message }) => `${path}: ${message}`);
      const code = issueCode(result.error.issues[0]);
      return answered(context, new Problem(code, said.join("; "), { errors: errors.slice(0, 20) }));
    },
  });
  // Fixed paths before those with an id in the same place.
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

/** Whoever has nothing but a link is counted by its id and their address: readers of one do not take each other's places. */
function principalOf({ owner, workspace, link }: Identity, request: IncomingMessage): Principal {
  return link === undefined
    ? { owner, workspace }
    : { owner: clientAddressOf(request), workspace: `link ${link}` };
}

function answered(context: Context, problem: Problem): Response {
  const { status, headers, body } = refusalAt(context.req.path, problem);
  return context.body(body, status, headers);
}

const PATHS = /^\/(api\/v1|sessions)(\/|\?|$)/;

/** Serves the API and the adapters of other protocols; what is not its goes to `next`. */
export function apiListener(options: ApiOptions, next: RequestListener): RequestListener {
  const { fetch } = apiApplication(options);
  const routes = getRequestListener(fetch as Parameters<typeof getRequestListener>[0]);
  return (request, response) =>
    PATHS.test(request.url ?? "") || adapterAt(request.url)
      ? routes(request, response)
      : next(request, response);
}
