import { createRoute, z } from "@hono/zod-openapi";
import { CommandRefusedError } from "@parley/sessions";
import { KEY_BYTES, newKey } from "../../access/api-key-text.ts";
import type { KeyDescription } from "../../access/key-book.ts";
import { workspaceFor } from "../../access/workspace-for.ts";
import { isUserId } from "../../people/people-events.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { Problem } from "../problem.ts";
import { jsonAnswer, jsonBody, newRoutes, refusals } from "../route-parts.ts";
import { keySchema, newKeySchema, ofWorkspace } from "../schemas/access-schemas.ts";
import { commandHeaders, pathId } from "../schemas/parameters.ts";

const tags = ["Access"];

const listRoute = createRoute({
  ...{ method: "get", path: "/keys", tags, summary: "The API keys of the workspace, without their secrets" },
  request: { query: ofWorkspace },
  responses: { 200: jsonAnswer(z.object({ keys: z.array(keySchema) }), "The keys"), ...refusals },
});

const createdRoute = createRoute({
  ...{ method: "post", path: "/keys", tags, summary: "Make an API key; its secret is told once" },
  request: { headers: commandHeaders, body: jsonBody(newKeySchema) },
  responses: {
    201: jsonAnswer(z.object({ key: keySchema, secret: z.string() }), "The key, and what to send"),
    ...refusals,
  },
});

const revokedRoute = createRoute({
  ...{ method: "delete", path: "/keys/{id}", tags, summary: "Revoke an API key; its open streams end" },
  request: { params: z.object({ id: pathId }), headers: commandHeaders, query: ofWorkspace },
  responses: { 204: { description: "It is good for nothing any more" }, ...refusals },
});

/** API keys: made, listed and revoked by owners of their workspace. */
export function keyRoutes({ keys, commands }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(listRoute, async (context) => {
    const workspace = workspaceFor(context.var.identity, context.req.valid("query").workspace);
    return context.json({ keys: [...keys.list(workspace)] }, 200);
  });

  routes.openapi(createdRoute, async (context) => {
    const { identity } = context.var;
    const asked = context.req.valid("json");
    const { owner = identity.owner, workspace: wanted, ...request } = asked;
    const workspace = workspaceFor(identity, wanted);
    // A key reads what its user has: it speaks for its maker, or for a service account that is created with it.
    if (owner !== identity.owner && isUserId(owner))
      throw new Problem("forbidden", "Whoever signs in makes their own keys: name another user, or none");
    const isOwn = owner === identity.owner && (workspace === identity.workspace || isUserId(owner));
    const isNewAccount = !isOwn && !identity.ownsData;
    const header = context.req.valid("header")["Idempotency-Key"];
    const made = await commands.once<KeyDescription, { key: KeyDescription; secret: string }>(
      { principal: context.var.principal, operation: "keys", header, asked },
      ({ kept, secret }) =>
        keys.create({ ...request, owner, workspace }, identity, {
          ...{ bytes: secret(KEY_BYTES), isNewAccount, noted: kept },
        }),
      (key, { secret }) => ({ key, secret: newKey(secret(KEY_BYTES)).secret }),
    );
    return context.json(made, 201);
  });

  routes.openapi(revokedRoute, async (context) => {
    const { identity } = context.var;
    const workspace = workspaceFor(identity, context.req.valid("query").workspace);
    const { id } = context.req.valid("param");
    const header = context.req.valid("header")["Idempotency-Key"];
    await commands.once<null>(
      { principal: context.var.principal, operation: "revoke key", header, asked: { workspace, id } },
      async ({ kept }) => {
        if (!(await keys.revoke(workspace, id, { ...identity, workspace }, kept(null))))
          throw new CommandRefusedError("not_found", "There is no such key");
        return null;
      },
    );
    return context.body(null, 204);
  });

  return routes;
}
