import { z } from "@hono/zod-openapi";
import { Problem } from "@parley/adapters";
import { API_KEY_BYTES, generateKey, isUserId, type KeyDescription } from "@parley/identity";
import { CommandRefusedError } from "@parley/sessions";
import { workspaceFor } from "../../access/check-role.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { taggedRoutes } from "../endpoints.ts";
import { keySchema, newKeySchema, ofWorkspace } from "../schemas/access-schemas.ts";

/** API keys: created, listed and revoked by owners of their workspace. */
export function keyRoutes({ keys, commands }: Api): ApiRoutes {
  const { routes, route } = taggedRoutes("Access");

  route("get", "/keys", {
    summary: "List the API keys of the workspace, without their secrets",
    query: ofWorkspace,
    response: { keys: z.array(keySchema) },
    handle: ({ identity, query }) => ({ keys: keys.list(workspaceFor(identity, query.workspace)) }),
  });

  route("post", "/keys", {
    summary: "Create an API key; its secret is shown only once",
    body: newKeySchema,
    response: { key: keySchema, secret: z.string() },
    status: 201,
    handle: ({ principal, identity, key, body }) => {
      const { owner = identity.owner, workspace: wanted, ...request } = body;
      const workspace = workspaceFor(identity, wanted);
      // A key can read what its user owns: it acts for its creator, or for a service account that is created with it.
      if (owner !== identity.owner && isUserId(owner))
        throw new Problem("forbidden", "Users create their own keys; choose another owner, or omit it");
      const isOwn = owner === identity.owner && (workspace === identity.workspace || isUserId(owner));
      const isNewAccount = !isOwn && !identity.ownsData;
      return commands.once<KeyDescription, { key: KeyDescription; secret: string }>(
        { principal, operation: "keys", key, asked: body },
        ({ kept, secret }) =>
          keys.create({ ...request, owner, workspace }, identity, {
            bytes: secret(API_KEY_BYTES),
            isNewAccount,
            noted: kept,
          }),
        (made, { secret }) => ({ key: made, secret: generateKey(secret(API_KEY_BYTES)).secret }),
      );
    },
  });

  route("delete", "/keys/{id}", {
    summary: "Revoke an API key and end its open streams",
    query: ofWorkspace,
    handle: ({ principal, identity, key, params: { id }, query }) => {
      const workspace = workspaceFor(identity, query.workspace);
      const command = { principal, operation: "revoke key", key, asked: { workspace, id } };
      return commands.onceDone(command, async (kept) => {
        if (!(await keys.revoke(workspace, id, { ...identity, workspace }, kept)))
          throw new CommandRefusedError("not_found", "There is no such key");
      });
    },
  });

  return routes;
}
