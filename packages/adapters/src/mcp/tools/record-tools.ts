import { activeRun, type SessionState, sessionMarkdown } from "@parley/sessions";
import { z } from "zod";
import { openSession } from "../../conversations/session-reading.ts";
import { type McpCaller, pageOf, type ToolOutcome } from "../mcp-caller.ts";
import { mcpTool, sessionArgument } from "./mcp-tool.ts";

const READS = { readOnlyHint: true, openWorldHint: false } as const;

const listed = z.object({
  sessions: z.array(
    z.object({
      session: z.string(),
      title: z.string(),
      page: z.string(),
      updatedAt: z.string().optional(),
      excerpt: z.string().optional(),
    }),
  ),
  next: z.string().optional().describe("Pass it as `cursor` for more"),
});

/** The tool that lists and searches sessions. */
export const listSessions = mcpTool({
  ...{ name: "list_sessions", title: "List conversations", annotations: READS, output: listed },
  description:
    "Lists your conversations in Parley, the latest first, or those in which all the given words occur.",
  input: z.strictObject({
    words: z.string().max(1_000).optional().describe("Words that occur in the title or in a message"),
    limit: z.int().min(1).max(100).default(20),
    cursor: z.string().max(100).optional().describe("`next` of the page before"),
  }),
  async run(caller, { words, limit, cursor }) {
    const { host, principal } = caller;
    if (words !== undefined && words.trim() !== "") {
      const hits = await host.sessions.search(principal, words, limit);
      return shown({
        sessions: hits.map(({ sessionId, title, excerpt }) => ({
          ...named(caller, sessionId, title),
          excerpt,
        })),
      });
    }
    const { sessions, next } = await host.sessions.list(principal, { limit, cursor });
    const openings = await host.sessions.openings(sessions);
    return shown({
      sessions: sessions.map(({ id, title, updatedAt }) => ({
        ...named(caller, id, title || openings.get(id) || ""),
        updatedAt: new Date(updatedAt).toISOString(),
      })),
      ...(next !== "" && { next }),
    });
  },
});

const read = z.object({
  session: z.string(),
  title: z.string(),
  page: z.string(),
  state: z.enum(["quiet", "running", "waiting"]),
  messages: z.array(
    z.object({
      id: z.string(),
      role: z.enum(["user", "assistant"]),
      content: z.string(),
      agent: z.string().optional(),
    }),
  ),
  earlier: z.int().describe("How many messages came before these"),
});

/** The tool that reads a session. */
export const readSession = mcpTool({
  ...{ name: "read_session", title: "Read a conversation", annotations: READS, output: read },
  description:
    "Reads the messages of a conversation, and says whether an agent is at work in it or waits for a person.",
  input: z.strictObject({
    session: sessionArgument,
    last: z.int().min(1).max(1_000).default(50).describe("So many of the latest messages"),
  }),
  async run(caller, { session, last }) {
    const state = await openSession(caller.host.sessions, caller.principal, session);
    const messages = state.messages.slice(-last);
    const structuredContent: z.infer<typeof read> = {
      ...named(caller, state.id, state.title),
      state: activity(state),
      messages: messages.map(({ id, role, content, agent }) => ({ id, role, content, agent })),
      earlier: state.messages.length - messages.length,
    };
    return { content: [{ type: "text", text: sessionMarkdown({ ...state, messages }) }], structuredContent };
  },
});

function activity(state: SessionState): z.infer<typeof read>["state"] {
  const run = activeRun(state);
  return run ? (run.status === "waiting" ? "waiting" : "running") : "quiet";
}

function named(caller: McpCaller, session: string, title: string) {
  return { session, title, page: pageOf(caller, session) };
}

function shown(structuredContent: z.infer<typeof listed>): ToolOutcome {
  return { content: [{ type: "text", text: JSON.stringify(structuredContent, null, 1) }], structuredContent };
}
