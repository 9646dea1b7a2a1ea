import { z } from "@hono/zod-openapi";
import { invalid, openSession, Problem } from "@parley/adapters";
import {
  auditAppend,
  type Identity,
  SHARE_TOKEN_BYTES,
  type ShareLink,
  type ShareLinkManager,
  shareToken,
} from "@parley/identity";
import { workspaceFor } from "../../access/check-role.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { taggedRoutes } from "../endpoints.ts";
import { invalidCursor } from "../pages.ts";
import { ofWorkspace } from "../schemas/access-schemas.ts";
import { cursor, next, pageLimit } from "../schemas/parameters.ts";
import { madeShareSchema, ownShareSchema, shareSchema } from "../schemas/people-schemas.ts";
import { isoTime } from "../views/session-view.ts";

/** Share links to sessions, for their owner and for the owners of the workspace. */
export function shareRoutes({ sessions, shares, commands }: Api): ApiRoutes {
  const { routes, route } = taggedRoutes("Sharing");

  route("get", "/shares", {
    summary: "List the valid links to all of the caller's sessions, or of a workspace, newest first",
    query: {
      limit: pageLimit(200, 50),
      cursor,
      workspace: ofWorkspace.workspace.describe(
        "All links of this workspace; for its owners, and for operators",
      ),
    },
    response: { shares: z.array(ownShareSchema), next },
    handle: async ({ principal, identity, query: { limit, cursor: after, workspace } }) => {
      const before = after === undefined ? undefined : positionIn(after);
      const manager = workspace === undefined ? principal : managerOf(identity, workspace);
      const found = await shares.listAll(manager, { limit: limit + 1, before });
      const page = found.slice(0, limit);
      const last = page.at(-1);
      const isOwn = ({ owner }: { readonly owner: string }) =>
        owner === principal.owner && manager.workspace === principal.workspace;
      const titles = await sessions.titles(page.filter(isOwn).map(({ sessionId }) => sessionId));
      return {
        shares: page.map(({ sessionId, owner, ...share }) => ({
          ...shareView(share),
          sessionId,
          owner,
          title: titles.get(sessionId) ?? "",
        })),
        next: last && found.length > limit ? `${last.createdAt}.${last.id}` : null,
      };
    },
  });

  route("get", "/sessions/{id}/shares", {
    summary: "List the valid links to a session, newest first",
    query: ofWorkspace,
    response: { shares: z.array(shareSchema) },
    handle: async ({ identity, params, query }) => ({
      shares: (await shares.list(managerOf(identity, query.workspace), params.id)).map(shareView),
    }),
  });

  route("post", "/sessions/{id}/shares", {
    summary: "Create a link that lets anybody read the session",
    body: { expiresAt: z.iso.datetime().optional().describe("By default the link never expires") },
    response: { share: madeShareSchema },
    status: 201,
    handle: async ({ principal, identity, key, params: { id }, body }) => {
      const expiresAt = body.expiresAt === undefined ? undefined : Date.parse(body.expiresAt);
      if (expiresAt !== undefined && expiresAt <= Date.now())
        throw invalid("body.expiresAt", "must be in the future");
      await openSession(sessions, principal, id);
      const { token, ...share } = await commands.once<ShareLink, ShareLink & { readonly token: string }>(
        { principal, operation: "share", key, asked: { id, expiresAt: body.expiresAt } },
        ({ kept, secret }) =>
          shares.create(principal, id, {
            expiresAt,
            secret: secret(SHARE_TOKEN_BYTES),
            noted: (made) => {
              const entry = { action: "session.shared", target: id, details: { link: made.id } } as const;
              return [auditAppend(identity, entry), ...kept(made)];
            },
          }),
        (made, { secret }) => ({ ...made, token: shareToken(secret(SHARE_TOKEN_BYTES)) }),
      );
      return { share: { ...shareView(share), token } };
    },
  });

  route("delete", "/sessions/{id}/shares/{shareId}", {
    summary: "Revoke a link and disconnect its readers",
    query: ofWorkspace,
    handle: ({ principal, identity, key, params: { id, shareId }, query }) => {
      const manager = managerOf(identity, query.workspace);
      const entry = { action: "session.unshared", target: id, details: { link: shareId } } as const;
      const audit = auditAppend({ ...identity, workspace: manager.workspace }, entry);
      return commands.onceDone({ principal, operation: "unshare", key, asked: { id, shareId } }, (kept) =>
        shares.revoke(manager, id, shareId, [audit, ...kept]),
      );
    },
  });

  return routes;
}

function shareView({ id, createdAt, expiresAt }: ShareLink): z.infer<typeof shareSchema> {
  return { id, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) };
}

/** Owners manage all links of their workspace, operators those of any; throws where others name a workspace. */
function managerOf(identity: Identity, asked: string | undefined): ShareLinkManager {
  const managesWorkspace = identity.role === "owner";
  if (asked !== undefined && !managesWorkspace)
    throw new Problem("forbidden", "Only owners manage the links of a workspace; omit the workspace");
  return { owner: identity.owner, workspace: workspaceFor(identity, asked), managesWorkspace };
}

function positionIn(after: string): Pick<ShareLink, "id" | "createdAt"> {
  const [, at, id] = /^(\d{1,15})\.(shr_[\w-]{1,50})$/.exec(after) ?? [];
  if (at === undefined || id === undefined) throw invalidCursor();
  return { createdAt: Number(at), id };
}
