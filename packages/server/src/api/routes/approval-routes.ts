import { z } from "@hono/zod-openapi";
import { commandIds, keyed } from "@parley/adapters";
import { CommandRefusedError } from "@parley/sessions";
import type { Api, ApiRoutes } from "../api-options.ts";
import { placedPage } from "../pages.ts";
import { answer, newRoutes, taggedRoute } from "../route-parts.ts";
import { commandHeaders, cursor, flag, pageLimit, pathId } from "../schemas/parameters.ts";
import { next } from "../schemas/reading-schemas.ts";
import { approvalSchema, runSchema } from "../schemas/run-schemas.ts";
import { approvalView, runView } from "../views/run-view.ts";

const route = taggedRoute("Approvals");

const listRoute = route("get", "/approvals", {
  summary: "What waits, or waited, for a person, the newest first",
  request: { query: z.object({ limit: pageLimit(200, 50), cursor, open: flag.optional() }) },
  responses: answer(200, z.object({ approvals: z.array(approvalSchema), next }), "A page of approvals"),
});

const answerRoute = route("post", "/sessions/{id}/approvals/{approvalId}", {
  summary: "Answer an approval",
  request: {
    params: z.object({ id: pathId, approvalId: pathId }),
    headers: commandHeaders,
    body: z.strictObject({
      decision: z.enum(["approved", "denied", "answered"]),
      text: z.string().max(100_000).optional(),
      arguments: z.unknown().optional().openapi({ description: "In place of those that were asked about" }),
      always: z
        .boolean()
        .optional()
        .openapi({ description: "The tool is added to the session's `config.allowedTools`" }),
    }),
  },
  responses: answer(200, z.object({ run: runSchema }), "The run that goes on"),
});

/** The inbox of approvals (+7). */
export function approvalRoutes({ sessions }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(listRoute, async (context) => {
    const { open, ...query } = context.req.valid("query");
    const { principal } = context.var;
    const found = await placedPage(query, (rows) => sessions.approvals(principal, { ...rows, open }));
    return context.json({ approvals: found.page.map(approvalView), next: found.next }, 200);
  });

  routes.openapi(answerRoute, async (context) => {
    const { principal, key } = context.var;
    const { id, approvalId } = context.req.valid("param");
    const body = context.req.valid("json");
    const ids = commandIds(principal, `answer:${approvalId}`, { key });
    const command = { type: "answerApproval", approvalId, ...body } as const;
    const { state } = await sessions.execute(principal, id, command, keyed(ids, { id, ...body }));
    const run = state.runs.get(state.approvals.get(approvalId)?.runId ?? "");
    if (!run) throw new CommandRefusedError("not_found", `There is no approval ${approvalId}`);
    return context.json({ run: runView(id, run) }, 200);
  });

  return routes;
}
