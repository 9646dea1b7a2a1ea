import { createRoute, z } from "@hono/zod-openapi";
import type { Share } from "../../people/shares.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { invalid } from "../problem.ts";
import { jsonAnswer, jsonBody, newRoutes, refusals } from "../route-parts.ts";
import { pathId, sessionParams } from "../schemas/parameters.ts";
import { madeShareSchema, shareSchema } from "../schemas/people-schemas.ts";
import { openSession } from "../session-reading.ts";

const tags = ["Sharing"];

const listRoute = createRoute({
  ...{ method: "get", path: "/sessions/{id}/shares", tags, summary: "The links to a session that hold" },
  request: { params: sessionParams },
  responses: { 200: jsonAnswer(z.object({ shares: z.array(shareSchema) }), "The newest first"), ...refusals },
});

const makeRoute = createRoute({
  ...{ method: "post", path: "/sessions/{id}/shares", tags },
  summary: "Make a link by which anybody reads the session, and nothing else",
  request: {
    params: sessionParams,
    body: jsonBody(
      z.strictObject({
        expiresAt: z.iso.datetime().optional().openapi({ description: "Without it, until it is revoked" }),
      }),
    ),
  },
  responses: { 201: jsonAnswer(z.object({ share: madeShareSchema }), "The link"), ...refusals },
});

const revokeRoute = createRoute({
  ...{
    method: "delete",
    path: "/sessions/{id}/shares/{shareId}",
    tags,
    summary: "Revoke a link; who reads by it is cut",
  },
  request: { params: z.object({ id: pathId, shareId: pathId }) },
  responses: { 204: { description: "It opens nothing any more" }, ...refusals },
});

/** Links to a session, for its owner. */
export function shareRoutes({ sessions, shares, audit }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(listRoute, async (context) => {
    const { id } = context.req.valid("param");
    const held = await shares.list(context.var.principal, id);
    return context.json({ shares: held.map(shareView) }, 200);
  });

  routes.openapi(makeRoute, async (context) => {
    const { principal } = context.var;
    const { id } = context.req.valid("param");
    const { expiresAt } = context.req.valid("json");
    const until = expiresAt === undefined ? undefined : Date.parse(expiresAt);
    if (until !== undefined && until <= Date.now()) throw invalid("body.expiresAt", "must be in the future");
    await openSession(sessions, principal, id);
    const { token, ...share } = await shares.make(principal, id, { expiresAt: until });
    await audit.record(context.var.identity, {
      ...{ action: "session.shared", target: id, details: { link: share.id } },
    });
    return context.json({ share: { ...shareView(share), token } }, 201);
  });

  routes.openapi(revokeRoute, async (context) => {
    const { id, shareId } = context.req.valid("param");
    await shares.revoke(context.var.principal, id, shareId);
    await audit.record(context.var.identity, {
      ...{ action: "session.unshared", target: id, details: { link: shareId } },
    });
    return context.body(null, 204);
  });

  return routes;
}

function shareView({ id, createdAt, expiresAt }: Share): z.infer<typeof shareSchema> {
  return {
    ...{ id, createdAt: new Date(createdAt).toISOString() },
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  };
}
