import { z } from "@hono/zod-openapi";
import { Problem } from "@parley/adapters";
import { API_KEY_BYTES, generateKey, isUserId, type KeyDescription } from "@parley/identity";
import { CommandRefusedError } from "@parley/sessions";
import { workspaceFor } from "../../access/check-role.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { answer, newRoutes, noContent, taggedRoute } from "../route-parts.ts";
import { keySchema, newKeySchema, ofWorkspace } from "../schemas/access-schemas.ts";
import { commandHeaders, pathId } from "../schemas/parameters.ts";

const route = taggedRoute("Access");

const listRoute = route("get", "/keys", {
  summary: "The API keys of the workspace, without their secrets",
  request: { query: ofWorkspace },
  responses: answer(200, z.object({ keys: z.array(keySchema) }), "The keys"),
});

const createdRoute = route("post", "/keys", {
  summary: "Make an API key; its secret is told once",
  request: { headers: commandHeaders, body: newKeySchema },
  responses: answer(201, z.object({ key: keySchema, secret: z.string() }), "The key, and what to send"),
});

const revokedRoute = route("delete", "/keys/{id}", {
  summary: "Revoke an API key; its open streams end",
  request: { params: z.object({ id: pathId }), headers: commandHeaders, query: ofWorkspace },
  responses: noContent("It is good for nothing any more"),
});

/** API keys: made, listed and revoked by owners of their workspace. */
export function keyRoutes({ keys, commands }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(listRoute, async (context) => {
    const workspace = workspaceFor(context.var.identity, context.req.valid("query").workspace);
    return context.json({ keys: [...keys.list(workspace)] }, 200);
  });

  routes.openapi(createdRoute, async (context) => {
    const { identity, key } = context.var;
    const asked = context.req.valid("json");
    const { owner = identity.owner, workspace: wanted, ...request } = asked;
    const workspace = workspaceFor(identity, wanted);
    // A key reads what its user has: it speaks for its maker, or for a service account that is created with it.
    if (owner !== identity.owner && isUserId(owner))
      throw new Problem("forbidden", "Whoever signs in makes their own keys: name another user, or none");
    const isOwn = owner === identity.owner && (workspace === identity.workspace || isUserId(owner));
    const isNewAccount = !isOwn && !identity.ownsData;
    const made = await commands.once<KeyDescription, { key: KeyDescription; secret: string }>(
      { principal: context.var.principal, operation: "keys", key, asked },
      ({ kept, secret }) =>
        keys.create({ ...request, owner, workspace }, identity, {
          ...{ bytes: secret(API_KEY_BYTES), isNewAccount, noted: kept },
        }),
      (key, { secret }) => ({ key, secret: generateKey(secret(API_KEY_BYTES)).secret }),
    );
    return context.json(made, 201);
  });

  routes.openapi(revokedRoute, async (context) => {
    const { identity, key } = context.var;
    const workspace = workspaceFor(identity, context.req.valid("query").workspace);
    const { id } = context.req.valid("param");
    const command = {
      principal: context.var.principal,
      operation: "revoke key",
      key,
      asked: { workspace, id },
    };
    await commands.onceDone(command, async (kept) => {
      if (!(await keys.revoke(workspace, id, { ...identity, workspace }, kept)))
        throw new CommandRefusedError("not_found", "There is no such key");
    });
    return context.body(null, 204);
  });

  return routes;
}
