import { createRoute, z } from "@hono/zod-openapi";
import type { Principal, SessionState } from "@parley/sessions";
import { auditAppend } from "../../access/audit-log.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { commandIds, keyed } from "../command-ids.ts";
import { withFileContents } from "../files/carried-files.ts";
import { contentDisposition } from "../files/content-disposition.ts";
import { exportable } from "../importable-events.ts";
import { jsonAnswer, jsonBody, newRoutes, refusals } from "../route-parts.ts";
import { chosenId, commandHeaders, sessionParams } from "../schemas/parameters.ts";
import { sessionSchema } from "../schemas/session-schemas.ts";
import { openSession, recordedEvents } from "../session-reading.ts";
import { eventView } from "../views/event-view.ts";
import { sessionMarkdown } from "../views/session-markdown.ts";
import { sessionView, timesOf } from "../views/session-view.ts";

const tags = ["Export and import"];
const CHUNK = 65_536;

const exportRoute = createRoute({
  ...{ method: "get", path: "/sessions/{id}/export", tags },
  summary: "The events of a session as JSON lines, or its messages as Markdown",
  request: {
    params: sessionParams,
    query: z.object({ format: z.enum(["jsonl", "markdown"]).default("jsonl") }),
  },
  responses: {
    200: {
      description: "The session",
      content: { "application/jsonl": { schema: z.string() }, "text/markdown": { schema: z.string() } },
    },
    ...refusals,
  },
});

const importRoute = createRoute({
  ...{ method: "post", path: "/sessions/import", tags, summary: "Take an exported session in, as a new one" },
  description:
    "An import is history: it starts no run and gives no permission. Owner, workspace, parent, context and forks of the " +
    "original are left behind. Any other event or field that an export does not have is refused by name.",
  request: {
    headers: commandHeaders,
    body: jsonBody(
      z.strictObject({
        id: chosenId.optional(),
        content: z.string().min(1).openapi({ description: "JSON lines, as exported" }),
      }),
    ),
  },
  responses: { 201: jsonAnswer(z.object({ session: sessionSchema }), "The new session"), ...refusals },
});

/** Export and import. */
export function transferRoutes({ sessions, imports, files, audit }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(exportRoute, async (context) => {
    const { principal } = context.var;
    const state = await openSession(sessions, principal, context.req.valid("param").id);
    const { format } = context.req.valid("query");
    await audit.intend(context.var.identity, {
      ...{ action: "session.exported", target: state.id, details: { format } },
    });
    const [type, ending] = format === "jsonl" ? ["application/jsonl", "jsonl"] : ["text/markdown", "md"];
    context.header("Content-Type", `${type}; charset=utf-8`);
    context.header("Content-Disposition", contentDisposition(`${state.title || state.id}.${ending}`));
    if (format === "markdown") return context.body(sessionMarkdown(state), 200);
    return context.body(jsonLines({ sessions, files }, principal, state), 200);
  });

  routes.openapi(importRoute, async (context) => {
    const { principal } = context.var;
    const { id: chosen, content } = context.req.valid("json");
    const header = context.req.valid("header")["Idempotency-Key"];
    const ids = commandIds(principal, "import", { header, chosen });
    const id = chosen ?? ids.id("ses");
    const noted = [auditAppend(context.var.identity, { action: "session.imported", target: id })];
    const { state } = await imports.adopt(principal, {
      id,
      lines: content,
      ...keyed(ids, { content }),
      noted,
    });
    return context.json({ session: sessionView(state, await timesOf(sessions, principal, state)) }, 201);
  });

  return routes;
}

function jsonLines(
  { sessions, files }: Pick<Api, "sessions" | "files">,
  principal: Principal,
  state: SessionState,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  async function* pages() {
    for await (const page of recordedEvents(sessions, principal, state)) {
      let lines = "";
      for (const recorded of page) {
        const event = await withFileContents(files, principal, exportable(recorded.event));
        lines += `${JSON.stringify(eventView(state.id, { ...recorded, event }))}\n`;
        // A page of events with their files is more than should be held at once.
        if (lines.length < CHUNK) continue;
        yield encoder.encode(lines);
        lines = "";
      }
      yield encoder.encode(lines);
    }
  }
  return ReadableStream.from(pages());
}
