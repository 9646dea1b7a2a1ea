import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the agent says to a request, piece by piece. */
export type Script = (request: string) => AsyncIterable<string> | Iterable<string>;

/** An A2A agent (0.3, JSON-RPC) that says exactly what a test wants, cut where the test wants it cut. */
export class ScriptedAgent implements AsyncDisposable {
  readonly #server: Server;
  /** What it says; a test may change it between requests. */
  script: Script;

  private constructor(script: Script) {
    this.script = script;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(script: Script = () => ["Yes."]): Promise<ScriptedAgent> {
    const agent = new ScriptedAgent(script);
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
    if (request.method === "GET") {
      const isCard = /agent-card\.json$|agent\.json$/.test(request.url ?? "");
      response.writeHead(isCard ? 200 : 404, { "content-type": "application/json" });
      response.end(isCard ? JSON.stringify(this.#card()) : "{}");
      return;
    }
    let body = "";
    for await (const piece of request) body += piece;
    const { id, method, params } = JSON.parse(body) as Call;
    if (method !== "message/stream") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32004, message: "Only message/stream" } }),
      );
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const { contextId = "context", parts } = params.message;
    const of = { taskId: `task-${Math.random()}`, contextId };
    const send = async (result: object) => {
      const isTaken = response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
      if (!isTaken) await once(response, "drain");
    };
    const status = (state: string, final: boolean) =>
      send({ kind: "status-update", ...of, status: { state }, final });
    await send({ kind: "task", id: of.taskId, contextId, status: { state: "working" } });
    let append = false;
    for await (const text of this.script(parts.map((part) => part.text ?? "").join(""))) {
      const artifact = { artifactId: "answer", name: "current_result", parts: [{ kind: "text", text }] };
      await send({ kind: "artifact-update", ...of, artifact, append, lastChunk: false });
      append = true;
    }
    await status("completed", true);
    response.end();
  }

  #card(): object {
    const modes = { defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] };
    return {
      ...{ protocolVersion: "0.3.0", name: "speaker", description: "Says what it is told to.", version: "1" },
      ...{ url: `${this.url}/`, preferredTransport: "JSONRPC", capabilities: { streaming: true }, ...modes },
      skills: [{ id: "say", name: "Say", description: "Says things aloud", tags: ["say"] }],
    };
  }
}

interface Call {
  readonly id: number | string;
  readonly method: string;
  readonly params: {
    readonly message: { readonly contextId?: string; readonly parts: readonly { readonly text?: string }[] };
  };
}
