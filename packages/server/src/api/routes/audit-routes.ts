import { createRoute, z } from "@hono/zod-openapi";
import { workspaceFor } from "../../access/workspace-for.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { jsonAnswer, newRoutes, refusals } from "../route-parts.ts";
import { auditSchema, ofWorkspace } from "../schemas/access-schemas.ts";
import { pageLimit, wholeNumber } from "../schemas/parameters.ts";

const auditRoute = createRoute({
  ...{ method: "get", path: "/audit", tags: ["Access"], summary: "Who did what, the newest first" },
  request: {
    query: ofWorkspace.extend({
      limit: pageLimit(200, 50),
      before: wholeNumber("Where the page before ended: its `next`").optional(),
    }),
  },
  responses: {
    200: jsonAnswer(z.object({ entries: z.array(auditSchema), next: z.int().optional() }), "The entries"),
    ...refusals,
  },
});

/** The audit log, for owners of the workspace. */
export function auditRoutes({ audit }: Api): ApiRoutes {
  const routes = newRoutes();
  routes.openapi(auditRoute, async (context) => {
    const { workspace, limit, before } = context.req.valid("query");
    const page = await audit.before(workspaceFor(context.var.identity, workspace), { limit, before });
    return context.json({ entries: page.entries.map((entry) => ({ ...entry })), next: page.next }, 200);
  });
  return routes;
}
