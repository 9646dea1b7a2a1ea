import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Call {
  readonly id: number | string;
  readonly params: {
    readonly id?: string;
    readonly message?: {
      readonly taskId?: string;
      readonly contextId?: string;
      readonly parts: readonly { readonly text?: string }[];
    };
  };
}

/** An A2A agent (0.3, JSON-RPC, polled) that wants a token, has a card with mistakes, and asks before it answers. */
export class AskingAgent implements AsyncDisposable {
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response));
  readonly #tasks = new Map<string, object>();
  /** What callers proved themselves with. */
  readonly tokens = new Set<string | undefined>();

  static async start(): Promise<AskingAgent> {
    const agent = new AskingAgent();
    agent.#server.listen(0, "127.0.0.1");
    await once(agent.#server, "listening");
    return agent;
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (request.method === "GET")
      return /agent(-card)?\.json$/.test(request.url ?? "") ? reply(200, this.#card()) : reply(404, {});
    let body = "";
    for await (const piece of request) body += piece;
    this.tokens.add(request.headers.authorization);
    const { id, params } = JSON.parse(body) as Call;
    reply(200, {
      jsonrpc: "2.0",
      id,
      result: params.message ? this.#say(params.message) : this.#task(params.id),
    });
  }

  #task(id = ""): object {
    return this.#tasks.get(id) ?? {};
  }

  #say({ taskId, contextId = "context", parts }: NonNullable<Call["params"]["message"]>): object {
    const id = taskId ?? `task-${this.#tasks.size + 1}`;
    const text = parts.map((part) => part.text ?? "").join("");
    const said = (words: string) => [{ kind: "text", text: words }];
    const message = { kind: "message", messageId: `${id}-asks`, role: "agent", parts: said("Which colour?") };
    const task = taskId
      ? { status: { state: "completed" }, artifacts: [{ artifactId: "a", parts: said(`${text} it is.`) }] }
      : { status: { state: "input-required", message } };
    this.#tasks.set(id, { kind: "task", id, contextId, ...task });
    return this.#task(id);
  }

  #card(): object {
    const modes = { defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] };
    return {
      ...{ protocolVersion: "0.3.0", name: "painter", description: "Paints in any colour.", version: "1" },
      ...{ url: `${this.url}/`, preferredTransport: "JSONRPC", capabilities: {}, ...modes },
      // Tags are required.
      skills: [{ id: "paint", name: "Paint", description: "Paints things" }],
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      security: [{ token: [] }],
    };
  }
}
