import { z } from "@hono/zod-openapi";
import { workspaceFor } from "../../access/check-role.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { taggedRoutes } from "../endpoints.ts";
import { auditSchema, ofWorkspace } from "../schemas/access-schemas.ts";
import { pageLimit, wholeNumber } from "../schemas/parameters.ts";

/** The audit log, for owners of the workspace. */
export function auditRoutes({ audit }: Api): ApiRoutes {
  const { routes, route } = taggedRoutes("Access");
  route("get", "/audit", {
    summary: "List audit log entries, newest first",
    query: {
      ...ofWorkspace,
      limit: pageLimit(200, 50),
      before: wholeNumber("The `next` of the previous page").optional(),
      action: z
        .string()
        .regex(/^[a-z_]{1,40}(\.[a-z_]{1,40})?$/, "must be like key, or key.revoked")
        .optional()
        .describe("Filter by action or its first part: `key.revoked`, or `key`"),
      who: z.string().max(100).optional().describe("Filter by part of the actor's name or id"),
    },
    response: {
      entries: z.array(auditSchema),
      next: z
        .int()
        .optional()
        .describe("The `before` of the next page; a filtered page may have fewer than `limit` entries"),
    },
    handle: ({ identity, query: { workspace, ...query } }) =>
      audit.page(workspaceFor(identity, workspace), query),
  });
  return routes;
}
