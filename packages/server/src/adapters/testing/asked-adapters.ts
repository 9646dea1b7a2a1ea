import { randomUUID } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { ADAPTER_ROWS, type AdapterRows } from "../../access/testing/adapter-rows.ts";

/** A question to the supervisor, as a client of some protocol asks it. */
export interface AskedAdapter {
  readonly name: string;
  readonly path: string;
  /** A new one each time. */
  body(): object;
  /** How its refusals look. */
  readonly rows: AdapterRows;
}

const adapter = (name: string, protocol: string, path: string, body: () => object): AskedAdapter => {
  const rows = ADAPTER_ROWS[protocol];
  if (!rows) throw new Error(`There is no adapter ${protocol}`);
  return { name, path, body, rows };
};
const said = () => `Hello ${randomUUID()}`;
const message = () => ({ id: randomUUID(), role: "user" });
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A request of MCP's revision without sessions, and the headers that repeat it. */
export function mcpCall(
  name: string,
  given: object,
  more: { readonly requestState?: string } = {},
): { body: object; headers: Record<string, string> } {
  const method = "tools/call";
  const headers = {
    ...{ "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name },
    Accept: "application/json, text/event-stream",
  };
  return {
    body: { jsonrpc: "2.0", id: 1, method, params: { name, arguments: given, ...more, _meta: META } },
    headers,
  };
}

/** Each way to ask, by each protocol. */
export const ASKED_ADAPTERS: readonly AskedAdapter[] = [
  adapter("chat completions, streamed", "OpenAI", "/v1/chat/completions", () => ({
    ...{ model: "supervisor", stream: true, messages: [{ role: "user", content: said() }] },
  })),
  adapter("chat completions, whole", "OpenAI", "/v1/chat/completions", () => ({
    ...{ model: "supervisor", messages: [{ role: "user", content: said() }] },
  })),
  adapter("responses", "OpenAI", "/v1/responses", () => ({
    model: "supervisor",
    stream: true,
    input: said(),
  })),
  adapter("AG-UI", "AG-UI", "/agui", () => ({
    ...{ threadId: randomUUID(), runId: randomUUID(), messages: [{ ...message(), content: said() }] },
  })),
  adapter("MCP", "MCP", "/mcp", () => mcpCall("ask_supervisor", { message: said() }).body),
  adapter("AI SDK", "AI SDK", "/ai", () => ({
    ...{ id: randomUUID(), messages: [{ ...message(), parts: [{ type: "text", text: said() }] }] },
  })),
];

/** A request on its own connection, which can be closed at any time. */
export class HungUp {
  readonly #request: ReturnType<typeof request>;
  /** Its answer's beginning. */
  readonly answer: Promise<IncomingMessage>;

  constructor(port: number, method: string, path: string, headers: Record<string, string>, body?: object) {
    const typed = body && { "Content-Type": "application/json" };
    const asked = request({
      ...{ host: "127.0.0.1", port, method, path, agent: false },
      headers: { Host: `localhost:${port}`, ...typed, ...headers },
    });
    this.#request = asked;
    this.answer = new Promise((resolve, reject) => asked.on("response", resolve).on("error", reject));
    // Whoever hangs up asked for the error.
    this.answer.catch(() => undefined);
    asked.end(body && JSON.stringify(body));
  }

  /** All of the answer. */
  async whole(): Promise<{ status: number | undefined; headers: IncomingMessage["headers"]; text: string }> {
    const answer = await this.answer;
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  }

  hangUp(): void {
    this.#request.destroy();
  }
}

/** Asks at a adapter; with what MCP's newest revision wants in headers. */
export function askAt(
  { path, body }: AskedAdapter,
  port: number,
  headers: Record<string, string> = {},
): HungUp {
  const { headers: mcp } = mcpCall("ask_supervisor", {});
  return new HungUp(port, "POST", path, { ...mcp, ...headers }, body());
}
