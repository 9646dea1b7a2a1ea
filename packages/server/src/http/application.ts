import type { IncomingMessage, RequestListener } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Problem, problemAnswer } from "@parley/adapters";
import { problemText } from "@parley/agent";
import { type Identity, isOperator, LOCAL_USER } from "@parley/identity";
import { OFFLINE_MODEL_PATH, offlineModelListener } from "@parley/models";
import { Hono } from "hono";
import type { Logger } from "pino";
import { checkRole } from "../access/check-role.ts";
import type { PlatformStatus } from "../platform-status.ts";
import { METRICS_TYPE, type Metrics } from "../telemetry/metrics.ts";
import { errorBody, SECURITY_HEADERS } from "./answer-parts.ts";
import { probeListener } from "./probes.ts";
import { statusPage, statusStyle } from "./status-page.ts";
import { isWebClientPath, type WebClientSource, webClientListener } from "./web-client.ts";

export interface MainRoutesOptions {
  readonly status: () => Promise<PlatformStatus>;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Who sends a request; by default the local user. */
  readonly identityOf?: (request: IncomingMessage) => Identity;
  /** Whether the offline model is served by OpenAI's API. */
  readonly servesOfflineModel?: boolean;
  readonly webClient?: WebClientSource;
  /** The public path prefix. */
  readonly basePath?: string;
}

/** Serves the web client, the status page, probes, metrics and, if enabled, the offline model. */
export function mainRoutes(options: MainRoutesOptions): RequestListener {
  const { fetch } = application(options);
  const routes = getRequestListener(fetch as Parameters<typeof getRequestListener>[0]);
  const pages = webClientListener(options.webClient, options.basePath);
  const { status, identityOf = () => LOCAL_USER } = options;
  const others = probeListener({ status, identityOf }, routes);
  return (request, response) => {
    const [path = ""] = (request.url ?? "").split("?");
    if (isWebClientPath(path)) pages(request, response);
    else others(request, response);
  };
}

function application(options: MainRoutesOptions): Hono<{ Bindings: HttpBindings }> {
  const { status, metrics, log, identityOf = () => LOCAL_USER, basePath = "" } = options;
  const home = basePath + (options.webClient ? "/s/" : "/status");
  const routes = new Hono<{ Bindings: HttpBindings }>();
  routes.use(async (context, next) => {
    checkRole(identityOf(context.env.incoming), context.req);
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.header(name, value);
  });
  routes.get("/healthz", (context) => context.json({ status: "ok" }));
  routes.get("/readyz", async (context) => {
    const { ready, draining, journal, agents, problems } = await status();
    // Only operators see agents and their errors.
    if (!isOperator(identityOf(context.env.incoming)))
      return context.json({ status: ready ? "ready" : "not ready" }, ready ? 200 : 503);
    const states = agents.map(({ name, state, troubles }) => [name, troubles.length > 0 ? troubles : state]);
    const files = problems.map(problemText);
    // Not an error: polling finds the events, only later.
    const hints = journal.degraded === undefined ? {} : { hints: `degraded: ${journal.degraded}` };
    const checks = { journal: journal.works, ...hints, agents: Object.fromEntries(states), files };
    const summary = ready ? "ready" : draining ? "draining" : "not ready";
    return context.json({ status: summary, checks }, ready ? 200 : 503);
  });
  routes.get("/metrics", async (context) =>
    context.body(await metrics.text(), 200, { "Content-Type": METRICS_TYPE }),
  );
  routes.get("/", (context) => context.redirect(home));
  routes.get("/status", async (context) => context.html(statusPage(await status())));
  routes.get("/status.css", (context) => context.body(statusStyle, 200, { "Content-Type": "text/css" }));
  if (options.servesOfflineModel) {
    const offline = offlineModelListener({
      onError: (error) => log.error({ err: error }, "offline model failed"),
    });
    routes.all(`${OFFLINE_MODEL_PATH}/*`, ({ env }) => {
      offline(env.incoming, env.outgoing);
      return RESPONSE_ALREADY_SENT;
    });
  }
  routes.notFound((context) => {
    const message = `Not found: ${context.req.method} ${context.req.path}`;
    return context.json(errorBody({ code: "not_found", message }), 404);
  });
  // The cause may contain secrets: it goes to the log, never to the caller.
  routes.onError((error, context) => {
    if (error instanceof Problem) {
      const { status, headers, body } = problemAnswer(error);
      return context.body(body, status, { ...SECURITY_HEADERS, ...headers });
    }
    log.error({ err: error, method: context.req.method, path: context.req.path }, "request failed");
    const message = "Internal error; see the server log";
    return context.json(errorBody({ code: "internal", message }), 500);
  });
  return routes;
}
