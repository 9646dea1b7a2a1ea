import { invalid, openSession } from "@parley/adapters";
import { Hono } from "hono";
import type { Api, ApiEnvironment } from "../api-options.ts";
import { notModified, readSession } from "../session-reading.ts";
import { sessionRowViews } from "../views/session-view.ts";

/** Routes for clients from before `/api/v1` (S4.31). */
export function legacyRoutes({ sessions }: Api): Hono<ApiEnvironment> {
  const routes = new Hono<ApiEnvironment>();
  routes.get("/", async (context) => {
    const limit = Number(context.req.query("limit") ?? 50);
    if (!Number.isInteger(limit) || limit < 1) throw invalid("query.limit", "must be 1 to 200");
    const page = await sessions.list(context.var.principal, { limit: Math.min(limit, 200) });
    return context.json({ sessions: await sessionRowViews(sessions, page.sessions) });
  });
  routes.get("/:id", async (context) => {
    const { principal } = context.var;
    const state = await openSession(sessions, principal, context.req.param("id"));
    if (notModified(context, state)) return context.body(null, 304);
    const { session, messages, events } = await readSession(sessions, principal, state);
    return context.json({ session, messages, events });
  });
  return routes;
}
