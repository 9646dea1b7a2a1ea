import { z } from "@hono/zod-openapi";
import { commandIds, keyed, openSession, recordedEvents, withOwnId } from "@parley/adapters";
import { auditAppend } from "@parley/identity";
import { type Principal, type SessionState, sessionMarkdown } from "@parley/sessions";
import type { Api, ApiRoutes } from "../api-options.ts";
import { taggedRoutes } from "../endpoints.ts";
import { jsonWithFiles } from "../files/carried-files.ts";
import { contentDisposition } from "../files/content-disposition.ts";
import { exportable } from "../importable-events.ts";
import { chosenSessionId } from "../schemas/parameters.ts";
import { sessionSchema } from "../schemas/session-schemas.ts";
import { SessionImport } from "../session-import.ts";
import { eventView } from "../views/message-view.ts";
import { sessionViewOf } from "../views/session-view.ts";

const CHUNK_LENGTH = 65_536;
const text = { schema: z.string() };

/** Export and import. */
export function transferRoutes({ sessions, files, audit }: Api): ApiRoutes {
  const imports = new SessionImport(sessions, files);
  const { routes, route } = taggedRoutes("Export and import");

  route("get", "/sessions/{id}/export", {
    summary: "Export a session: its events as JSON lines, or its messages as Markdown",
    query: { format: z.enum(["jsonl", "markdown"]).default("jsonl") },
    responses: {
      200: { description: "The session", content: { "application/jsonl": text, "text/markdown": text } },
    },
    handle: async ({ principal, identity, params, query: { format }, context }) => {
      const state = await openSession(sessions, principal, params.id);
      await audit.append(identity, { action: "session.exported", target: state.id, details: { format } });
      const [type, extension] = format === "jsonl" ? ["application/jsonl", "jsonl"] : ["text/markdown", "md"];
      context.header("Content-Type", `${type}; charset=utf-8`);
      context.header("Content-Disposition", contentDisposition(`${state.title || state.id}.${extension}`));
      if (format === "markdown") return context.body(sessionMarkdown(state), 200);
      return context.body(ReadableStream.from(jsonLines({ sessions, files }, principal, state)), 200);
    },
  });

  route("post", "/sessions/import", {
    summary: "Import an exported session as a new one",
    description:
      "An import is history: it starts no run and grants no permission. The owner, workspace, parent, context, forks and " +
      "edits of the original are dropped. Of a session's settings an export has only `thinking` and `budget`; an import " +
      "with any other setting, event or field, or with more than 20,000 events, is refused.",
    body: {
      id: chosenSessionId.optional(),
      content: z.string().min(1).describe("JSON lines, as exported"),
    },
    response: { session: sessionSchema },
    status: 201,
    handle: async ({ principal, identity, key, body }) => {
      const { id: chosen, content } = await withOwnId(sessions, principal, body);
      const ids = commandIds(principal, "import", { key, chosen });
      const id = chosen ?? ids.id("ses");
      const noted = [auditAppend(identity, { action: "session.imported", target: id })];
      const request = { id, lines: content, ...keyed(ids, { content }), noted };
      const { state } = await imports.adopt(principal, request);
      return { session: await sessionViewOf(sessions, principal, state) };
    },
  });

  return routes;
}

async function* jsonLines(
  { sessions, files }: Pick<Api, "sessions" | "files">,
  principal: Principal,
  state: SessionState,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const carried = new Set<string>();
  for await (const page of recordedEvents(sessions, principal, state)) {
    let lines = "";
    for (const recorded of page) {
      const view = eventView(state.id, { ...recorded, event: exportable(recorded.event) });
      for await (const piece of jsonWithFiles(files, principal, view, carried)) {
        lines += piece;
        // A page of events with their files may not fit into memory.
        if (lines.length < CHUNK_LENGTH) continue;
        yield encoder.encode(lines);
        lines = "";
      }
      lines += "\n";
    }
    yield encoder.encode(lines);
  }
}
