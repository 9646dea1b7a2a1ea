import type { CompleteResult } from "@modelcontextprotocol/server";
import type { McpCaller } from "../mcp-caller.ts";
import { URI_TEMPLATES } from "../resource-uris.ts";

/** As many as MCP lets a completion have. */
const MOST = 100;
/** So far back it is looked. */
const MOST_PAGES = 20;
const OF_SESSIONS: readonly string[] = [URI_TEMPLATES.session, URI_TEMPLATES.sessionJson];

/** The ids of sessions that begin like this, or whose titles have it; the latest first. */
export async function completeId(
  { api, principal }: McpCaller,
  { uri, argument, value }: { readonly uri: string; readonly argument: string; readonly value: string },
): Promise<CompleteResult> {
  if (!OF_SESSIONS.includes(uri) || argument !== "id") return { completion: { values: [] } };
  const wanted = value.toLowerCase();
  const values: string[] = [];
  let cursor = "";
  for (let page = 0; page < MOST_PAGES && values.length < MOST; page++) {
    const { sessions, next } = await api.sessions.list(principal, { limit: MOST, cursor });
    const found = sessions.filter(
      ({ id, title }) => id.toLowerCase().startsWith(wanted) || title.toLowerCase().includes(wanted),
    );
    values.push(...found.map(({ id }) => id));
    cursor = next;
    if (next === "") break;
  }
  return {
    completion: { values: values.slice(0, MOST), hasMore: cursor !== "" || values.length > MOST },
  };
}
