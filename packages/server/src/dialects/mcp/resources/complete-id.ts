import type { CompleteResult } from "@modelcontextprotocol/server";
import type { McpCaller } from "../mcp-caller.ts";
import { URI_TEMPLATES } from "../resource-uris.ts";

/** As many as MCP lets a completion have. */
const MOST = 100;
const OF_SESSIONS: readonly string[] = [URI_TEMPLATES.session, URI_TEMPLATES.sessionJson];

/** The ids of sessions that begin like this, or whose titles have it; the latest first. */
export async function completeId(
  { api, principal }: McpCaller,
  { uri, argument, value }: { readonly uri: string; readonly argument: string; readonly value: string },
): Promise<CompleteResult> {
  if (!OF_SESSIONS.includes(uri) || argument !== "id") return { completion: { values: [] } };
  const { sessions, next } = await api.sessions.list(principal, { limit: MOST });
  const wanted = value.toLowerCase();
  const found = sessions.filter(
    ({ id, title }) => id.toLowerCase().startsWith(wanted) || title.toLowerCase().includes(wanted),
  );
  return { completion: { values: found.map(({ id }) => id), hasMore: next !== "" } };
}
