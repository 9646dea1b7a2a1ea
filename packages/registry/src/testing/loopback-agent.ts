import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type AgentDescription, agentCardJson, servedCard } from "@parley/a2a";
import { freePort } from "@parley/testing/free-ports.ts";
import { onTestFinished } from "vitest";

/** Where the card of today is. */
export const CARD_PATH = "/.well-known/agent-card.json";

/** A request for the card, as it came in. */
export interface CardRequest {
  readonly at: number;
  readonly tag: string | undefined;
  readonly status: number;
}

/** A real agent on loopback that goes and comes back; it answers every message with its own card's name. */
export class LoopbackAgent {
  readonly cardRequests: CardRequest[] = [];
  /** The headers of each call. */
  readonly calls: IncomingMessage["headers"][] = [];
  #port = 0;
  #server: Server | undefined;
  #described: Partial<AgentDescription>;
  /** Served instead of the card. */
  #document: { readonly status: number; readonly text: string } | undefined;

  constructor(described: Partial<AgentDescription> = {}) {
    this.#described = described;
    onTestFinished(() => this.stop());
  }

  /** Comes up, at the same port each time. */
  static async start(described: Partial<AgentDescription> = {}): Promise<LoopbackAgent> {
    const agent = new LoopbackAgent(described);
    await agent.start();
    return agent;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#port ||= await freePort();
    this.#server = createServer(this.#listener).listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }

  describe(described: Partial<AgentDescription>): void {
    this.#described = described;
    this.#document = undefined;
  }

  /** Serves something else than a card. */
  serve(document: unknown, status = 200): void {
    this.#document = { status, text: JSON.stringify(document) };
  }

  readonly #listener: RequestListener = (request, response) => {
    const tag = request.headers["if-none-match"];
    if (request.url === CARD_PATH) {
      const { status, headers, body } = this.#answer(tag);
      this.cardRequests.push({ at: performance.now(), tag, status });
      response.writeHead(status, headers).end(body);
    } else if (request.method === "POST") {
      this.calls.push(request.headers);
      const message = { messageId: "m2", role: "ROLE_AGENT", parts: [{ text: this.#card().name }] };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { message } }));
    } else {
      response.writeHead(404).end();
    }
    request.resume();
  };

  #answer(tag: string | undefined): {
    status: number;
    headers: Record<string, string>;
    body?: string | Uint8Array;
  } {
    if (this.#document) {
      const headers = { "content-type": "application/json" };
      return { status: this.#document.status, headers, body: this.#document.text };
    }
    const { etag, headers, body } = servedCard(agentCardJson(this.#card()));
    // The length of the card is not that of an empty answer.
    if (tag === etag) return { status: 304, headers: { etag, "cache-control": "public, max-age=300" } };
    return { status: 200, headers: { ...headers }, body };
  }

  #card(): AgentDescription {
    return {
      name: "Echo",
      description: "Says its name",
      version: "1.0.0",
      capabilities: { streaming: false },
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      skills: [],
      interfaces: [{ url: `${this.url}/a2a`, binding: "JSONRPC", dialects: ["1.0"] }],
      ...this.#described,
    };
  }
}

/** A skill of a card. */
export function skill(id: string, ...tags: string[]) {
  return { id, name: id, description: id, tags };
}
