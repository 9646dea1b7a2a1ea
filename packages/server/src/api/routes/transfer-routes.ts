import { z } from "@hono/zod-openapi";
import { commandIds, keyed, openSession, recordedEvents, withOwnId } from "@parley/adapters";
import { auditAppend } from "@parley/identity";
import { type Principal, type SessionState, sessionMarkdown } from "@parley/sessions";
import type { Api, ApiRoutes } from "../api-options.ts";
import { jsonWithFiles } from "../files/carried-files.ts";
import { contentDisposition } from "../files/content-disposition.ts";
import { exportable } from "../importable-events.ts";
import { answer, newRoutes, refusals, taggedRoute } from "../route-parts.ts";
import { chosenSessionId, commandHeaders, sessionParams } from "../schemas/parameters.ts";
import { sessionSchema } from "../schemas/session-schemas.ts";
import { eventView } from "../views/message-view.ts";
import { sessionView, timesOf } from "../views/session-view.ts";

const route = taggedRoute("Export and import");
const CHUNK = 65_536;

const exportRoute = route("get", "/sessions/{id}/export", {
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

const importRoute = route("post", "/sessions/import", {
  summary: "Take an exported session in, as a new one",
  description:
    "An import is history: it starts no run and gives no permission. Owner, workspace, parent, context, forks and edits " +
    "of the original are left behind. An export has up to two settings of a session, `thinking` and `budget`; an import " +
    "with any other setting, event or field is refused by name, and so is one of more than 20,000 events.",
  request: {
    headers: commandHeaders,
    body: z.strictObject({
      id: chosenSessionId.optional(),
      content: z.string().min(1).openapi({ description: "JSON lines, as exported" }),
    }),
  },
  responses: answer(201, z.object({ session: sessionSchema }), "The new session"),
});

/** Export and import. */
export function transferRoutes({ sessions, imports, files, audit }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(exportRoute, async (context) => {
    const { principal } = context.var;
    const state = await openSession(sessions, principal, context.req.valid("param").id);
    const { format } = context.req.valid("query");
    await audit.append(context.var.identity, {
      ...{ action: "session.exported", target: state.id, details: { format } },
    });
    const [type, ending] = format === "jsonl" ? ["application/jsonl", "jsonl"] : ["text/markdown", "md"];
    context.header("Content-Type", `${type}; charset=utf-8`);
    context.header("Content-Disposition", contentDisposition(`${state.title || state.id}.${ending}`));
    if (format === "markdown") return context.body(sessionMarkdown(state), 200);
    return context.body(jsonLines({ sessions, files }, principal, state), 200);
  });

  routes.openapi(importRoute, async (context) => {
    const { principal, key } = context.var;
    const { id: chosen, content } = await withOwnId(sessions, principal, context.req.valid("json"));
    const ids = commandIds(principal, "import", { key, chosen });
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
  const carried = new Set<string>();
  async function* pages() {
    for await (const page of recordedEvents(sessions, principal, state)) {
      let lines = "";
      for (const recorded of page) {
        const view = eventView(state.id, { ...recorded, event: exportable(recorded.event) });
        for await (const piece of jsonWithFiles(files, principal, view, carried)) {
          lines += piece;
          // A page of events with their files is more than should be held at once.
          if (lines.length < CHUNK) continue;
          yield encoder.encode(lines);
          lines = "";
        }
        lines += "\n";
      }
      yield encoder.encode(lines);
    }
  }
  return ReadableStream.from(pages());
}
