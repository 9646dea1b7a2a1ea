import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from "@modelcontextprotocol/server";
import { problemOf } from "../../../api/problem.ts";
import { openSession, readSession } from "../../../api/session-reading.ts";
import { sessionMarkdown } from "../../../api/views/session-markdown.ts";
import { isoTime } from "../../../api/views/session-view.ts";
import type { McpCaller } from "../mcp-caller.ts";
import { isStateless } from "../mcp-client.ts";
import { McpError } from "../mcp-error.ts";
import { type NamedResource, namedResource, sessionUri, URI_TEMPLATES } from "../resource-uris.ts";

const PAGE = 50;
const MARKDOWN = "text/markdown";
/** What a client shows as text rather than hands out as bytes. */
const TEXT = /^(text\/|application\/(json|xml|yaml|javascript)\b)/;

/** A page of the caller's sessions, the latest changed first. */
export async function listResources(
  { api, principal }: McpCaller,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const { sessions, next } = await api.sessions.list(principal, { limit: PAGE, cursor });
  const openings = await api.sessions.openings(sessions);
  return {
    resources: sessions.map(({ id, title, updatedAt, messageCount }) => ({
      ...{ uri: sessionUri(id), name: id, title: title || openings.get(id) || id, mimeType: MARKDOWN },
      description: `A conversation of ${messageCount} messages`,
      annotations: { lastModified: isoTime(updatedAt) },
    })),
    ...(next !== "" && { nextCursor: next }),
  };
}

/** How what can be read is named. */
export function resourceTemplates(): ListResourceTemplatesResult {
  const { session, sessionJson, file } = URI_TEMPLATES;
  return {
    resourceTemplates: [
      {
        ...{ uriTemplate: session, name: "session", title: "A conversation", mimeType: MARKDOWN },
        description: "What was said in a session, as Markdown",
      },
      {
        ...{ uriTemplate: sessionJson, name: "session-json", title: "A conversation, as data" },
        ...{ description: "A session with its messages and all its events", mimeType: "application/json" },
      },
      {
        ...{ uriTemplate: file, name: "file", title: "A file" },
        description: "A file that was uploaded, or that an agent made",
      },
    ],
  };
}

/** What the URI names, if it is the caller's. What is not is as if it were not there, byte for byte. */
export async function readResource(caller: McpCaller, uri: string): Promise<ReadResourceResult> {
  const named = namedResource(uri);
  try {
    if (named) return { contents: [{ uri, ...(await contentOf(caller, named)) }] };
  } catch (error) {
    const code = problemOf(error)?.code;
    if (code !== "not_found" && code !== "gone") throw error;
  }
  const code = isStateless(caller.client) ? -32_602 : -32_002;
  throw new McpError(code, "There is no such resource", { data: { uri } });
}

type Content = { mimeType: string; text: string } | { mimeType: string; blob: string };

async function contentOf({ api, principal }: McpCaller, { kind, id }: NamedResource): Promise<Content> {
  if (kind === "file") {
    const { mediaType } = await api.files.describe(principal, id);
    const content = Buffer.from(await api.files.content(principal, id));
    if (TEXT.test(mediaType)) return { mimeType: mediaType, text: content.toString() };
    return { mimeType: mediaType, blob: content.toString("base64") };
  }
  const state = await openSession(api.sessions, principal, id);
  if (kind === "session") return { mimeType: MARKDOWN, text: sessionMarkdown(state) };
  const reading = await readSession(api.sessions, principal, state);
  return { mimeType: "application/json", text: JSON.stringify(reading) };
}
