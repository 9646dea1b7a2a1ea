import { AGENT } from "../chain/wording.ts";
import { type Asked, call } from "./read-stream.ts";

/** A session to stream, and the prompt of its run. */
export interface BenchmarkSession {
  readonly url: string;
  readonly session: string;
  readonly prompt: string;
}

/** An adapter: the request that starts a run, and the one that replays it. */
export interface MeasuredAdapter {
  readonly name: string;
  ask(session: BenchmarkSession): Promise<Asked>;
  replay(session: BenchmarkSession): Promise<Asked>;
}

const MCP = { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25" };

/** Every adapter, with the requests that its clients send. */
export const MEASURED_ADAPTERS: readonly MeasuredAdapter[] = [
  replayable("OpenAI chat completions", async ({ session, prompt }) => ({
    path: "/v1/chat/completions",
    headers: { "X-Session-Id": session, "Idempotency-Key": `bench-${session}` },
    body: { model: AGENT, stream: true, messages: [{ role: "user", content: prompt }] },
  })),
  {
    name: "OpenAI responses",
    ask: async ({ session, prompt }) => ({
      path: "/v1/responses",
      headers: { "X-Session-Id": session },
      body: { model: AGENT, stream: true, input: prompt },
    }),
    async replay({ url, session }) {
      const { body } = await call<{ runs: { id: string }[] }>(url, {
        path: `/api/v1/sessions/${session}/runs`,
      });
      return { path: `/v1/responses/resp_${body.runs[0]?.id}?stream=true` };
    },
  },
  replayable("AG-UI", async ({ session, prompt }) => ({
    path: `/agui/${AGENT}`,
    headers: { Accept: "text/event-stream" },
    body: {
      ...{ threadId: session, runId: `run-${session}`, state: {}, tools: [], context: [] },
      messages: [{ id: `message-${session}`, role: "user", content: prompt }],
      forwardedProps: {},
    },
  })),
  replayable("MCP with progress", async ({ session, prompt, url }) => ({
    path: "/mcp",
    headers: { ...MCP, "Mcp-Session-Id": await mcpSession(url) },
    body: {
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: {
        ...{ name: `ask_${AGENT}`, arguments: { message: prompt, session } },
        _meta: { progressToken: 1, "parley/idempotency-key": `bench-${session}` },
      },
    },
  })),
  {
    name: "AI SDK",
    ask: async ({ session, prompt }) => ({
      path: `/ai/${AGENT}`,
      body: {
        id: session,
        trigger: "submit-message",
        messages: [{ id: `message-${session}`, role: "user", parts: [{ type: "text", text: prompt }] }],
      },
    }),
    replay: async ({ session }) => ({ path: `/ai/${session}/stream` }),
  },
];

function replayable(name: string, ask: MeasuredAdapter["ask"]): MeasuredAdapter {
  return { name, ask, replay: ask };
}

let opened: Promise<string> | undefined;

/** One MCP session shared by all requests, as in a client. */
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
