import { z } from "@hono/zod-openapi";
import { workspaceFor } from "../../access/check-role.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { answer, newRoutes, taggedRoute } from "../route-parts.ts";
import { auditSchema, ofWorkspace } from "../schemas/access-schemas.ts";
import { pageLimit, wholeNumber } from "../schemas/parameters.ts";

const route = taggedRoute("Access");
const auditRoute = route("get", "/audit", {
  summary: "Who did what, the newest first",
  request: {
    query: ofWorkspace.extend({
      limit: pageLimit(200, 50),
      before: wholeNumber("Where the page before ended: its `next`").optional(),
      action: z
        .string()
        .regex(/^[a-z_]{1,40}(\.[a-z_]{1,40})?$/, "must be like key, or key.revoked")
        .optional()
        .openapi({ description: "Only these: `key`, or `key.revoked`" }),
      who: z
        .string()
        .max(100)
        .optional()
        .openapi({ description: "Only by those whose name or id has this in it" }),
    }),
  },
  responses: answer(
    200,
    z.object({
      entries: z.array(auditSchema),
      next: z
        .int()
        .optional()
        .openapi({ description: "Where to go on; with a filter, a page may hold fewer than `limit`" }),
    }),
    "The entries",
  ),
});

/** The audit log, for owners of the workspace. */
export function auditRoutes({ audit }: Api): ApiRoutes {
  const routes = newRoutes();
  routes.openapi(auditRoute, async (context) => {
    const { workspace, ...query } = context.req.valid("query");
    const page = await audit.page(workspaceFor(context.var.identity, workspace), query);
    return context.json({ entries: page.entries.map((entry) => ({ ...entry })), next: page.next }, 200);
  });
  return routes;
}
