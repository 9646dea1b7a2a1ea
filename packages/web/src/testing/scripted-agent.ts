import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the agent says to a request, piece by piece. */
export type Script = (request: string) => AsyncIterable<string> | Iterable<string>;

/** What an agent says of itself. */
export interface AgentAbout {
  readonly name: string;
  readonly description: string;
  /** What it can do, in a word. */
  readonly verb: string;
}

const SPEAKER: AgentAbout = { name: "speaker", description: "Says things aloud", verb: "say" };

/** An A2A agent (0.3, JSON-RPC) that says exactly what a test wants, cut where the test wants it cut. */
export class ScriptedAgent implements AsyncDisposable {
  readonly #server: Server;
  readonly #about: AgentAbout;
  /** What it says; a test may change it between requests. */
  script: Script;

  private constructor(script: Script, about: AgentAbout) {
    this.script = script;
    this.#about = about;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(script: Script = () => ["Yes."], about = SPEAKER): Promise<ScriptedAgent> {
    const agent = new ScriptedAgent(script, about);
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
    const ended = (state: string, reason?: string) => {
      const parts = [{ kind: "text", text: reason }];
      const message = { kind: "message", messageId: `${of.taskId}-end`, role: "agent", parts, ...of };
      return send({
        kind: "status-update",
        ...of,
        status: { state, ...(reason && { message }) },
        final: true,
      });
    };
    await send({ kind: "task", id: of.taskId, contextId, status: { state: "working" } });
    let append = false;
    try {
      for await (const text of this.script(parts.map((part) => part.text ?? "").join(""))) {
        const artifact = { artifactId: "answer", name: "current_result", parts: [{ kind: "text", text }] };
        await send({ kind: "artifact-update", ...of, artifact, append, lastChunk: false });
        append = true;
      }
      await ended("completed");
    } catch (error) {
      await ended("failed", (error as Error).message);
    }
    response.end();
  }

  #card(): object {
    const { name, description, verb } = this.#about;
    const modes = { defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] };
    return {
      ...{ protocolVersion: "0.3.0", name, description, version: "1" },
      ...{ url: `${this.url}/`, preferredTransport: "JSONRPC", capabilities: { streaming: true }, ...modes },
      skills: [{ id: verb, name: verb, description, tags: [verb] }],
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
