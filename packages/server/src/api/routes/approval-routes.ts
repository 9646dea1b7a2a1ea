import { z } from "@hono/zod-openapi";
import { commandIds, keyed } from "@parley/adapters";
import { CommandRefusedError } from "@parley/sessions";
import type { Api, ApiRoutes } from "../api-options.ts";
import { taggedRoutes } from "../endpoints.ts";
import { placedPage } from "../pages.ts";
import { cursor, flag, next, pageLimit } from "../schemas/parameters.ts";
import { approvalSchema, runSchema } from "../schemas/run-schemas.ts";
import { approvalView, runView } from "../views/run-view.ts";

/** The inbox of approvals (+7). */
export function approvalRoutes({ sessions }: Api): ApiRoutes {
  const { routes, route } = taggedRoutes("Approvals");

  route("get", "/approvals", {
    summary: "List approvals, newest first",
    query: { limit: pageLimit(200, 50), cursor, open: flag.optional() },
    response: { approvals: z.array(approvalSchema), next },
    handle: async ({ principal, query: { open, ...query } }) => {
      const found = await placedPage(query, (rows) => sessions.approvals(principal, { ...rows, open }));
      return { approvals: found.page.map(approvalView), next: found.next };
    },
  });

  route("post", "/sessions/{id}/approvals/{approvalId}", {
    summary: "Answer an approval",
    body: {
      decision: z.enum(["approved", "denied", "answered"]),
      text: z.string().max(100_000).optional(),
      arguments: z.unknown().optional().describe("Replace the arguments of the call"),
      always: z.boolean().optional().describe("Add the tool to the session's `config.allowedTools`"),
    },
    response: { run: runSchema },
    returns: "The run that continues",
    handle: async ({ principal, key, params: { id, approvalId }, body }) => {
      const ids = commandIds(principal, `answer:${approvalId}`, { key });
      const command = { type: "answerApproval", approvalId, ...body } as const;
      const { state } = await sessions.execute(principal, id, command, keyed(ids, { id, ...body }));
      const run = state.runs.get(state.approvals.get(approvalId)?.runId ?? "");
      if (!run) throw new CommandRefusedError("not_found", `There is no approval ${approvalId}`);
      return { run: runView(id, run) };
    },
  });

  return routes;
}
