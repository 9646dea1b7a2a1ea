import { createRoute, z } from "@hono/zod-openapi";
import { auditAppend } from "../../access/audit-log.ts";
import { type OwnShare, type Share, TOKEN_BYTES, tokenOf } from "../../people/shares.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { invalid } from "../problem.ts";
import { jsonAnswer, jsonBody, newRoutes, refusals } from "../route-parts.ts";
import { commandHeaders, cursor, pageLimit, pathId, sessionParams } from "../schemas/parameters.ts";
import { madeShareSchema, ownShareSchema, shareSchema } from "../schemas/people-schemas.ts";
import { next } from "../schemas/reading-schemas.ts";
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
    headers: commandHeaders,
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
  request: { params: z.object({ id: pathId, shareId: pathId }), headers: commandHeaders },
  responses: { 204: { description: "It opens nothing any more" }, ...refusals },
});

const ownRoute = createRoute({
  ...{ method: "get", path: "/shares", tags, summary: "The links to all sessions of the caller's that hold" },
  request: { query: z.object({ limit: pageLimit(200, 50), cursor }) },
  responses: {
    200: jsonAnswer(z.object({ shares: z.array(ownShareSchema), next }), "The newest first"),
    ...refusals,
  },
});

/** Links to sessions, for their owner. */
export function shareRoutes({ sessions, shares, commands }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(ownRoute, async (context) => {
    const { limit, cursor: after } = context.req.valid("query");
    const before = after === undefined ? undefined : placeIn(after);
    const found = await shares.own(context.var.principal, { limit: limit + 1, before });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const more = last && found.length > limit ? `${last.createdAt}.${last.id}` : null;
    return context.json({ shares: page.map(ownView), next: more }, 200);
  });

  routes.openapi(listRoute, async (context) => {
    const { id } = context.req.valid("param");
    const held = await shares.list(context.var.principal, id);
    return context.json({ shares: held.map(shareView) }, 200);
  });

  routes.openapi(makeRoute, async (context) => {
    const { principal, identity } = context.var;
    const { id } = context.req.valid("param");
    const { expiresAt } = context.req.valid("json");
    const header = context.req.valid("header")["Idempotency-Key"];
    const until = expiresAt === undefined ? undefined : Date.parse(expiresAt);
    if (until !== undefined && until <= Date.now()) throw invalid("body.expiresAt", "must be in the future");
    await openSession(sessions, principal, id);
    const { token, ...share } = await commands.once<Share, Share & { readonly token: string }>(
      { principal, operation: "share", header, asked: { id, expiresAt } },
      ({ kept, secret }) =>
        shares.make(principal, id, {
          ...{ expiresAt: until, secret: secret(TOKEN_BYTES) },
          noted: (made) => {
            const details = { link: made.id };
            return [auditAppend(identity, { action: "session.shared", target: id, details }), ...kept(made)];
          },
        }),
      (made, { secret }) => ({ ...made, token: tokenOf(secret(TOKEN_BYTES)) }),
    );
    return context.json({ share: { ...shareView(share), token } }, 201);
  });

  routes.openapi(revokeRoute, async (context) => {
    const { principal, identity } = context.var;
    const { id, shareId } = context.req.valid("param");
    const header = context.req.valid("header")["Idempotency-Key"];
    const entry = { action: "session.unshared", target: id, details: { link: shareId } } as const;
    await commands.once<null>(
      { principal, operation: "unshare", header, asked: { id, shareId } },
      async ({ kept }) => {
        await shares.revoke(principal, id, shareId, [auditAppend(identity, entry), ...kept(null)]);
        return null;
      },
    );
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

function ownView({ sessionId, title, ...share }: OwnShare): z.infer<typeof ownShareSchema> {
  return { ...shareView(share), sessionId, title };
}

function placeIn(after: string): Pick<Share, "id" | "createdAt"> {
  const [, at, id] = /^(\d{1,15})\.(shr_[\w-]{1,50})$/.exec(after) ?? [];
  if (at === undefined || id === undefined)
    throw invalid("query.cursor", "must be the `next` of the page before");
  return { createdAt: Number(at), id };
}
