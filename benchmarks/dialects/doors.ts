import { AGENT } from "../chain/wording.ts";
import { type Asked, call } from "./read-stream.ts";

/** A session to be told: where it is, and what is said in it. */
export interface Told {
  readonly url: string;
  readonly session: string;
  readonly said: string;
}

/** A door: how a message comes through it, and how its run is told once more. */
export interface MeasuredDoor {
  readonly name: string;
  ask(told: Told): Promise<Asked>;
  again(told: Told): Promise<Asked>;
}

const MCP = { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25" };

/** Every dialect, through the very requests that its clients send. */
export const MEASURED_DOORS: readonly MeasuredDoor[] = [
  sameAgain("OpenAI chat completions", async ({ session, said }) => ({
    path: "/v1/chat/completions",
    headers: { "X-Session-Id": session, "Idempotency-Key": `bench-${session}` },
    body: { model: AGENT, stream: true, messages: [{ role: "user", content: said }] },
  })),
  {
    name: "OpenAI responses",
    ask: async ({ session, said }) => ({
      path: "/v1/responses",
      headers: { "X-Session-Id": session },
      body: { model: AGENT, stream: true, input: said },
    }),
    async again({ url, session }) {
      const { body } = await call<{ runs: { id: string }[] }>(url, {
        path: `/api/v1/sessions/${session}/runs`,
      });
      return { path: `/v1/responses/resp_${body.runs[0]?.id}?stream=true` };
    },
  },
  sameAgain("AG-UI", async ({ session, said }) => ({
    path: `/agui/${AGENT}`,
    headers: { Accept: "text/event-stream" },
    body: {
      ...{ threadId: session, runId: `run-${session}`, state: {}, tools: [], context: [] },
      messages: [{ id: `message-${session}`, role: "user", content: said }],
      forwardedProps: {},
    },
  })),
  sameAgain("MCP with progress", async ({ session, said, url }) => ({
    path: "/mcp",
    headers: { ...MCP, "Mcp-Session-Id": await mcpSession(url) },
    body: {
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: {
        ...{ name: `ask_${AGENT}`, arguments: { message: said, session } },
        _meta: { progressToken: 1, "parley/idempotency-key": `bench-${session}` },
      },
    },
  })),
  {
    name: "AI SDK",
    ask: async ({ session, said }) => ({
      path: `/ai/${AGENT}`,
      body: {
        id: session,
        trigger: "submit-message",
        messages: [{ id: `message-${session}`, role: "user", parts: [{ type: "text", text: said }] }],
      },
    }),
    again: async ({ session }) => ({ path: `/ai/${session}/stream` }),
  },
];

function sameAgain(name: string, ask: MeasuredDoor["ask"]): MeasuredDoor {
  return { name, ask, again: ask };
}

let opened: Promise<string> | undefined;

/** One MCP session for all, as a client has it. */
function mcpSession(url: string): Promise<string> {
  opened ??= (async () => {
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    };
    const { headers } = await call(url, {
      ...{ path: "/mcp", headers: { Accept: MCP.Accept } },
      body: { jsonrpc: "2.0", id: 0, method: "initialize", params },
    });
    return headers.get("mcp-session-id") ?? "";
  })();
  return opened;
}
