import { createRoute, z } from "@hono/zod-openapi";
import { CommandRefusedError } from "@parley/sessions";
import { isOperator } from "../../access/identity.ts";
import { workspaceFor } from "../../access/workspace-for.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { Problem } from "../problem.ts";
import { jsonAnswer, jsonBody, newRoutes, refusals } from "../route-parts.ts";
import { keySchema, newKeySchema, ofWorkspace } from "../schemas/access-schemas.ts";
import { pathId } from "../schemas/parameters.ts";

const tags = ["Access"];

const listRoute = createRoute({
  ...{ method: "get", path: "/keys", tags, summary: "The API keys of the workspace, without their secrets" },
  request: { query: ofWorkspace },
  responses: { 200: jsonAnswer(z.object({ keys: z.array(keySchema) }), "The keys"), ...refusals },
});

const createdRoute = createRoute({
  ...{ method: "post", path: "/keys", tags, summary: "Make an API key; its secret is told once" },
  request: { body: jsonBody(newKeySchema) },
  responses: {
    201: jsonAnswer(z.object({ key: keySchema, secret: z.string() }), "The key, and what to send"),
    ...refusals,
  },
});

const revokedRoute = createRoute({
  ...{ method: "delete", path: "/keys/{id}", tags, summary: "Revoke an API key; its open streams end" },
  request: { params: z.object({ id: pathId }), query: ofWorkspace },
  responses: { 204: { description: "It is good for nothing any more" }, ...refusals },
});

/** API keys: made, listed and revoked by owners of their workspace. */
export function keyRoutes({ keys, people }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(listRoute, async (context) => {
    const workspace = workspaceFor(context.var.identity, context.req.valid("query").workspace);
    return context.json({ keys: [...keys.list(workspace)] }, 200);
  });

  routes.openapi(createdRoute, async (context) => {
    const { identity } = context.var;
    const { owner = identity.owner, workspace: asked, ...request } = context.req.valid("json");
    const workspace = workspaceFor(identity, asked);
    // A key reads what its user has: people make their own.
    if (owner !== identity.owner && !isOperator(identity) && (await people.user(owner)))
      throw new Problem("forbidden", "Whoever signs in makes their own keys: name another user, or none");
    return context.json(await keys.create({ ...request, owner, workspace }, identity), 201);
  });

  routes.openapi(revokedRoute, async (context) => {
    const { identity } = context.var;
    const workspace = workspaceFor(identity, context.req.valid("query").workspace);
    if (!(await keys.revoke(workspace, context.req.valid("param").id, { ...identity, workspace })))
      throw new CommandRefusedError("not_found", "There is no such key");
    return context.body(null, 204);
  });

  return routes;
}
