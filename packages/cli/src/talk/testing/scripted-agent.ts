import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Ask, type Pieces, ScriptedTask } from "./scripted-task.ts";

/** What the agent says to a request, piece by piece; it may ask whoever asked it. */
export type Script = (request: string, ask: Ask) => Pieces;

/** For tests: an A2A agent (0.3, JSON-RPC) that says exactly what a test wants, when the test wants it. */
export class ScriptedAgent {
  readonly #server: Server;
  readonly #tasks = new Map<string, ScriptedTask>();
  script: Script = () => ["Yes."];

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<ScriptedAgent> {
    const agent = new ScriptedAgent();
    agent.#server.listen(0, "127.0.0.1");
    await once(agent.#server, "listening");
    return agent;
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
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
    const known = this.#tasks.get(params.id ?? params.message?.taskId ?? "");
    const task = known ?? (params.message && this.#begun(params.message));
    if (known && params.message) known.answer(textOf(params.message));
    const isStream = method === "message/stream" || method === "tasks/resubscribe";
    if (!task || !isStream) {
      if (method === "tasks/cancel") task?.cancel();
      const answer = task ? { result: task.view() } : { error: { code: -32001, message: "No such task" } };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for await (const result of task.events(!known))
      response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
    response.end();
  }

  #begun(message: Message): ScriptedTask {
    const { contextId = "context" } = message;
    const id = `task-${this.#tasks.size + 1}`;
    const task = new ScriptedTask(id, contextId, (ask) => this.script(textOf(message), ask));
    this.#tasks.set(task.id, task);
    return task;
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

function textOf({ parts }: Message): string {
  return parts.map(({ text = "" }) => text).join("");
}

interface Message {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly parts: readonly { readonly text?: string }[];
}

interface Call {
  readonly id: number | string;
  readonly method: string;
  readonly params: { readonly id?: string; readonly message?: Message };
}
