import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { OFFLINE_MODEL_PATH, offlineModelListener, problemText } from "@parley/agent";
import { Hono } from "hono";
import type { Logger } from "pino";
import { checkRole } from "../access/check-role.ts";
import { type Identity, isOperator, LOCAL } from "../access/identity.ts";
import { Problem, problemAnswer } from "../api/problem.ts";
import type { PlatformStatus } from "../platform-status.ts";
import { METRICS_TYPE, type Metrics } from "../telemetry/metrics.ts";
import { errorBody } from "./error-answer.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";
import { statusPage, statusStyle } from "./status-page.ts";

export interface ApplicationOptions {
  readonly status: () => Promise<PlatformStatus>;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Who sends a request; without it everybody is the one local user. */
  readonly identityOf?: (request: IncomingMessage) => Identity;
  /** Whether the offline model is served to whoever speaks OpenAI's API. */
  readonly servesOfflineModel?: boolean;
}

/** Options, and what is shown at the root. */
export interface RoutesOptions extends ApplicationOptions {
  readonly home: string;
}

/** The routes of the main port. */
export function application({
  status,
  metrics,
  log,
  home,
  identityOf = () => LOCAL,
  servesOfflineModel = false,
}: RoutesOptions): Hono<{ Bindings: HttpBindings }> {
  const routes = new Hono<{ Bindings: HttpBindings }>();
  routes.use(async (context, next) => {
    checkRole(identityOf(context.env.incoming), context.req);
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.header(name, value);
  });
  routes.get("/healthz", (context) => context.json({ status: "ok" }));
  routes.get("/readyz", async (context) => {
    const { ready, draining, journal, agents, problems } = await status();
    // Which agents there are, and what of them fails, is no stranger's business.
    if (!isOperator(identityOf(context.env.incoming)))
      return context.json({ status: ready ? "ready" : "not ready" }, ready ? 200 : 503);
    const states = agents.map(({ name, state, troubles }) => [name, troubles.length > 0 ? troubles : state]);
    const files = problems.map(problemText);
    // They are found by polling: later, and none is lost.
    const hints = journal.degraded === undefined ? {} : { hints: `degraded: ${journal.degraded}` };
    const checks = { journal: journal.works, ...hints, agents: Object.fromEntries(states), files };
    const said = ready ? "ready" : draining ? "draining" : "not ready";
    return context.json({ status: said, checks }, ready ? 200 : 503);
  });
  routes.get("/metrics", async (context) =>
    context.body(await metrics.text(), 200, { "Content-Type": METRICS_TYPE }),
  );
  routes.get("/", (context) => context.redirect(home));
  routes.get("/status", async (context) => context.html(statusPage(await status())));
  routes.get("/status.css", (context) => context.body(statusStyle, 200, { "Content-Type": "text/css" }));
  if (servesOfflineModel) {
    const offline = offlineModelListener({
      onError: (error) => log.error({ err: error }, "offline model failed"),
    });
    routes.all(`${OFFLINE_MODEL_PATH}/*`, ({ env }) => {
      offline(env.incoming, env.outgoing);
      return RESPONSE_ALREADY_SENT;
    });
  }
  routes.notFound((context) => {
    const message = `There is nothing at ${context.req.method} ${context.req.path}`;
    return context.json(errorBody({ code: "not_found", message }), 404);
  });
  // The cause may hold anything, secrets included: it goes to the operator, never to the caller.
  routes.onError((error, context) => {
    if (error instanceof Problem) {
      const { status, headers, body } = problemAnswer(error);
      return context.body(body, status, { ...SECURITY_HEADERS, ...headers });
    }
    log.error({ err: error, method: context.req.method, path: context.req.path }, "request failed");
    const message = "Something went wrong on our side; the log says what";
    return context.json(errorBody({ code: "internal", message }), 500);
  });
  return routes;
}
