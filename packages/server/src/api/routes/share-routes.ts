import { z } from "@hono/zod-openapi";
import { invalid, openSession } from "@parley/adapters";
import { auditAppend, SHARE_TOKEN_BYTES, type ShareLink, shareToken } from "@parley/identity";
import type { Api, ApiRoutes } from "../api-options.ts";
import { answer, newRoutes, noContent, taggedRoute } from "../route-parts.ts";
import { commandHeaders, cursor, pageLimit, pathId, sessionParams } from "../schemas/parameters.ts";
import { madeShareSchema, ownShareSchema, shareSchema } from "../schemas/people-schemas.ts";
import { next } from "../schemas/reading-schemas.ts";
import { isoTime } from "../views/session-view.ts";

const route = taggedRoute("Sharing");

const listRoute = route("get", "/sessions/{id}/shares", {
  summary: "The links to a session that hold",
  request: { params: sessionParams },
  responses: answer(200, z.object({ shares: z.array(shareSchema) }), "The newest first"),
});

const makeRoute = route("post", "/sessions/{id}/shares", {
  summary: "Make a link by which anybody reads the session, and nothing else",
  request: {
    params: sessionParams,
    headers: commandHeaders,
    body: z.strictObject({
      expiresAt: z.iso.datetime().optional().openapi({ description: "Without it, until it is revoked" }),
    }),
  },
  responses: answer(201, z.object({ share: madeShareSchema }), "The link"),
});

const revokeRoute = route("delete", "/sessions/{id}/shares/{shareId}", {
  summary: "Revoke a link; who reads by it is cut",
  request: { params: z.object({ id: pathId, shareId: pathId }), headers: commandHeaders },
  responses: noContent("It opens nothing any more"),
});

const ownRoute = route("get", "/shares", {
  summary: "The links to all sessions of the caller's that hold",
  request: { query: z.object({ limit: pageLimit(200, 50), cursor }) },
  responses: answer(200, z.object({ shares: z.array(ownShareSchema), next }), "The newest first"),
});

/** Links to sessions, for their owner. */
export function shareRoutes({ sessions, shares, commands }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(ownRoute, async (context) => {
    const { limit, cursor: after } = context.req.valid("query");
    const before = after === undefined ? undefined : placeIn(after);
    const found = await shares.listOwn(context.var.principal, { limit: limit + 1, before });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const more = last && found.length > limit ? `${last.createdAt}.${last.id}` : null;
    const titles = await sessions.titles(page.map(({ sessionId }) => sessionId));
    const shown = page.map(({ sessionId, ...share }) => ({
      ...{ ...shareView(share), sessionId, title: titles.get(sessionId) ?? "" },
    }));
    return context.json({ shares: shown, next: more }, 200);
  });

  routes.openapi(listRoute, async (context) => {
    const { id } = context.req.valid("param");
    const held = await shares.list(context.var.principal, id);
    return context.json({ shares: held.map(shareView) }, 200);
  });

  routes.openapi(makeRoute, async (context) => {
    const { principal, identity, key } = context.var;
    const { id } = context.req.valid("param");
    const { expiresAt } = context.req.valid("json");
    const until = expiresAt === undefined ? undefined : Date.parse(expiresAt);
    if (until !== undefined && until <= Date.now()) throw invalid("body.expiresAt", "must be in the future");
    await openSession(sessions, principal, id);
    const { token, ...share } = await commands.once<ShareLink, ShareLink & { readonly token: string }>(
      { principal, operation: "share", key, asked: { id, expiresAt } },
      ({ kept, secret }) =>
        shares.create(principal, id, {
          ...{ expiresAt: until, secret: secret(SHARE_TOKEN_BYTES) },
          noted: (made) => {
            const details = { link: made.id };
            return [auditAppend(identity, { action: "session.shared", target: id, details }), ...kept(made)];
          },
        }),
      (made, { secret }) => ({ ...made, token: shareToken(secret(SHARE_TOKEN_BYTES)) }),
    );
    return context.json({ share: { ...shareView(share), token } }, 201);
  });

  routes.openapi(revokeRoute, async (context) => {
    const { principal, identity, key } = context.var;
    const { id, shareId } = context.req.valid("param");
    const entry = { action: "session.unshared", target: id, details: { link: shareId } } as const;
    await commands.onceDone({ principal, operation: "unshare", key, asked: { id, shareId } }, (kept) =>
      shares.revoke(principal, id, shareId, [auditAppend(identity, entry), ...kept]),
    );
    return context.body(null, 204);
  });

  return routes;
}

function shareView({ id, createdAt, expiresAt }: ShareLink): z.infer<typeof shareSchema> {
  return { id, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) };
}

function placeIn(after: string): Pick<ShareLink, "id" | "createdAt"> {
  const [, at, id] = /^(\d{1,15})\.(shr_[\w-]{1,50})$/.exec(after) ?? [];
  if (at === undefined || id === undefined)
    throw invalid("query.cursor", "must be the `next` of the page before");
  return { createdAt: Number(at), id };
}
