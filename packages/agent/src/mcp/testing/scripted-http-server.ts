import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  type JSONRPCMessage,
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { scriptedServer } from "./scripted-tools.ts";
import { type ServedFetch, serveFetch } from "./serve-fetch.ts";

/** A scripted MCP server over HTTP on loopback, until the test ends. */
export interface ScriptedHttpServer extends ServedFetch {
  readonly url: string;
  /** Tells the clients that the tools changed. */
  toolsChanged(): void;
}

/** One that speaks today's protocol, without sessions. */
export async function scriptedHttpServer(options: { port?: number } = {}): Promise<ScriptedHttpServer> {
  const handler = createMcpHandler(() => scriptedServer(""));
  const served = await serveFetch(handler.fetch, options.port);
  return { ...served, url: `${served.origin}/mcp`, toolsChanged: () => handler.notify.toolsChanged() };
}

/** A server of the 2025 revision: it supports only `initialize`, and drops its sessions on request. */
export async function sessionHttpServer(): Promise<ServedFetch & { readonly url: string; forget(): void }> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const served = await serveFetch(async (request) => {
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? undefined : sessions.get(id);
    if (known) return known.handleRequest(request);
    if (id !== null) return Response.json({ error: "unknown session" }, { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await scriptedServer("").connect(transport);
    return transport.handleRequest(request);
  });
  return { ...served, url: `${served.origin}/mcp`, forget: () => sessions.clear() };
}

/** One over the transport that streamable HTTP replaced: a stream of events, and a place to post to. */
export async function sseHttpServer(): Promise<ServedFetch & { readonly url: string }> {
  let transport: SseServerTransport | undefined;
  const served = await serveFetch(async (request) => {
    if (request.method === "POST") {
      transport?.onmessage?.((await request.json()) as JSONRPCMessage);
      return new Response(null, { status: 202 });
    }
    transport = new SseServerTransport();
    await scriptedServer("").connect(transport);
    return new Response(transport.events, { headers: { "content-type": "text/event-stream" } });
  });
  return { ...served, url: `${served.origin}/sse` };
}

class SseServerTransport implements Transport {
  readonly events: ReadableStream<Uint8Array>;
  #write: (event: string, data: string) => void = () => {};
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor() {
    this.events = new ReadableStream({
      start: (controller) => {
        this.#write = (event, data) => controller.enqueue(Buffer.from(`event: ${event}\ndata: ${data}\n\n`));
        this.#write("endpoint", "/messages");
      },
    });
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write("message", JSON.stringify(message));
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
