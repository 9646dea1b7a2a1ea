import type {
  CompleteResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from "@modelcontextprotocol/server";
import { sessionMarkdown } from "@parley/sessions";
import { percentDecoded } from "../conversations/data-url.ts";
import { openSession } from "../conversations/session-reading.ts";
import { problemOf } from "../problem.ts";
import { isStateless, type McpCaller } from "./mcp-caller.ts";
import { McpError } from "./mcp-error.ts";

const SESSION = /^parley:\/\/sessions\/([^/?#]+)(\/json)?$/;
const FILE = /^parley:\/\/files\/([0-9a-f]{64})$/;

/** The URI templates of all resources. */
const URI_TEMPLATES = {
  session: "parley://sessions/{id}",
  sessionJson: "parley://sessions/{id}/json",
  file: "parley://files/{id}",
} as const;

const PAGE = 50;
const MARKDOWN = "text/markdown";
/** Media types that are sent as text. */
const TEXT = /^(text\/|application\/(json|xml|yaml|javascript)\b)/;

/** A page of the caller's sessions, the latest changed first. */
export async function listResources(
  { host, principal }: McpCaller,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const { sessions, next } = await host.sessions.list(principal, { limit: PAGE, cursor });
  const openings = await host.sessions.openings(sessions);
  return {
    resources: sessions.map(({ id, title, updatedAt, messageCount }) => ({
      ...{ uri: sessionUri(id), name: id, title: title || openings.get(id) || id, mimeType: MARKDOWN },
      description: `A conversation of ${messageCount} messages`,
      annotations: { lastModified: new Date(updatedAt).toISOString() },
    })),
    ...(next !== "" && { nextCursor: next }),
  };
}

/** The resource templates with their descriptions. */
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

/** Reads a resource of the caller's. One of somebody else's gives the same error as one that does not exist. */
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

async function contentOf({ host, principal }: McpCaller, { kind, id }: NamedResource): Promise<Content> {
  using _ = await host.reserveAnswer(principal);
  if (kind === "file") {
    const { mediaType } = await host.files.describe(principal, id);
    const content = Buffer.from(await host.files.content(principal, id));
    if (TEXT.test(mediaType)) return { mimeType: mediaType, text: content.toString() };
    return { mimeType: mediaType, blob: content.toString("base64") };
  }
  const state = await openSession(host.sessions, principal, id);
  if (kind === "session") return { mimeType: MARKDOWN, text: sessionMarkdown(state) };
  const reading = await host.readSession(principal, state);
  return { mimeType: "application/json", text: JSON.stringify(reading) };
}

/** MCP's limit for a completion. */
const MAX_VALUES = 100;
const MAX_PAGES = 20;
const OF_SESSIONS: readonly string[] = [URI_TEMPLATES.session, URI_TEMPLATES.sessionJson];

/** Completes session ids: those that begin like this, or whose titles contain it, the latest first. */
export async function completeId(
  { host, principal }: McpCaller,
  { uri, argument, value }: { readonly uri: string; readonly argument: string; readonly value: string },
): Promise<CompleteResult> {
  if (!OF_SESSIONS.includes(uri) || argument !== "id") return { completion: { values: [] } };
  const wanted = value.toLowerCase();
  const values: string[] = [];
  let cursor = "";
  for (let page = 0; page < MAX_PAGES && values.length < MAX_VALUES; page++) {
    const { sessions, next } = await host.sessions.list(principal, { limit: MAX_VALUES, cursor });
    const found = sessions.filter(
      ({ id, title }) => id.toLowerCase().startsWith(wanted) || title.toLowerCase().includes(wanted),
    );
    values.push(...found.map(({ id }) => id));
    cursor = next;
    if (next === "") break;
  }
  return {
    completion: { values: values.slice(0, MAX_VALUES), hasMore: cursor !== "" || values.length > MAX_VALUES },
  };
}

/** The URI of a session as Markdown. */
export function sessionUri(id: string): string {
  return `parley://sessions/${encodeURIComponent(id)}`;
}

/** The URI of a file. */
export function fileUri(id: string): string {
  return `parley://files/${id}`;
}

/** The resource that a URI names. */
type NamedResource =
  | { readonly kind: "session" | "sessionJson"; readonly id: string }
  | { readonly kind: "file"; readonly id: string };

/** Parses a URI of one of the templates. */
function namedResource(uri: string): NamedResource | undefined {
  const [, session, json] = SESSION.exec(uri) ?? [];
  if (session !== undefined) {
    const id = percentDecoded(session);
    return id === undefined ? undefined : { kind: json ? "sessionJson" : "session", id };
  }
  const [, file] = FILE.exec(uri) ?? [];
  return file === undefined ? undefined : { kind: "file", id: file };
}
