import type { ApiServer } from "../../../api/testing/api-server.ts";

/** A message of JSON-RPC as it came. */
export interface RawMessage {
  readonly eventId?: string;
  readonly id?: string | number | null;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect
  readonly [member: string]: any;
}

/** An answer, read whole. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly messages: readonly RawMessage[];
}

const ACCEPT = "application/json, text/event-stream";
const NEWEST = "2026-07-28";

/** For tests: MCP by hand, with whatever mistake a test is about. */
export class RawMcp {
  readonly #server: ApiServer;
  headers: Record<string, string> = {};

  constructor(server: ApiServer) {
    this.#server = server;
  }

  /** Begins a session of MCP. */
  async greet(protocolVersion = "2025-11-25", capabilities: object = {}): Promise<RawAnswer> {
    const params = { protocolVersion, capabilities, clientInfo: { name: "raw", version: "1" } };
    const answer = await this.post({ id: 0, method: "initialize", params });
    this.headers["Mcp-Session-Id"] = answer.headers.get("mcp-session-id") ?? "";
    return answer;
  }

  /** A request of the revision without sessions. */
  modern(method: string, params: Record<string, unknown> = {}, more: Modern = {}): Promise<RawAnswer> {
    const { headers, body } = this.modernRequest(method, params, more);
    return this.ask("POST", headers, body);
  }

  /** The same, for callers that send it themselves. */
  modernRequest(method: string, params: Record<string, unknown> = {}, more: Modern = {}) {
    const { id = 1, capabilities = {}, meta = {}, headers = {} } = more;
    const named = params.name ?? params.uri;
    const envelope = {
      "io.modelcontextprotocol/protocolVersion": NEWEST,
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": capabilities,
      ...meta,
    };
    return {
      headers: {
        ...{ Accept: ACCEPT, "Content-Type": "application/json" },
        ...{ "MCP-Protocol-Version": NEWEST, "Mcp-Method": method },
        ...(typeof named === "string" && { "Mcp-Name": named }),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: envelope } }),
    };
  }

  /** Posts a message, or a body as it is. */
  post(message: object | string, headers: Record<string, string> = {}): Promise<RawAnswer> {
    const whole = Array.isArray(message) ? message : { jsonrpc: "2.0", ...(message as object) };
    const body = typeof message === "string" ? message : JSON.stringify(whole);
    return this.ask("POST", { "Content-Type": "application/json", ...headers }, body);
  }

  /** Posts a message; `heard` resolves when this text was received, `whole` with the complete response. */
  postUntil(message: object, words: string): { heard: Promise<void>; whole: Promise<readonly RawMessage[]> } {
    const heard = Promise.withResolvers<void>();
    const read = async () => {
      const response = await fetch(`${this.#server.url}/mcp`, {
        method: "POST",
        headers: { Accept: ACCEPT, "Content-Type": "application/json", ...this.headers },
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      });
      let text = "";
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += piece;
        if (text.includes(words)) heard.resolve();
      }
      heard.reject(new Error(`${words} was not told: ${text}`));
      return messagesIn(response, text);
    };
    return { heard: heard.promise, whole: read() };
  }

  async ask(method: string, headers: Record<string, string> = {}, body?: string): Promise<RawAnswer> {
    const response = await fetch(`${this.#server.url}/mcp`, {
      method,
      headers: { Accept: ACCEPT, ...this.headers, ...headers },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, messages: messagesIn(response, text) };
  }
}

interface Modern {
  readonly id?: string | number;
  readonly capabilities?: object;
  readonly meta?: object;
  readonly headers?: Record<string, string>;
}

function messagesIn(response: Response, text: string): RawMessage[] {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("application/json")) return [JSON.parse(text)];
  return text.split("\n\n").flatMap((frame) => {
    const eventId = /^id: (.*)$/m.exec(frame)?.[1];
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    const message = data ? JSON.parse(data) : undefined;
    return message || eventId ? [{ ...message, ...(eventId && { eventId }) }] : [];
  });
}
