import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { requestBody } from "./request-body.ts";
import { type Ask, type Pieces, ScriptedTask } from "./scripted-task.ts";

// Tests speak to real agents on the offline model wherever those can play the scene. This one is for what no agent that
// is well does, or does when a test wants it:
// - it says nothing, or nothing more, until it is told to (waited for, stalled);
// - it fails or is interrupted in mid-sentence, for a reason that the page has to show;
// - its pieces cut a character in two, or markup wherever it does most harm; escape codes for a terminal;
// - it sends a megabyte in one line, or Markdown that is broken;
// - it asks back in the middle of an answer, which the offline model does only before one.

/** The agent's answer to a request, chunk by chunk; it may ask the caller back. */
export type Script = (request: string, ask: Ask) => Pieces;

/** An agent's card fields. */
export interface AgentAbout {
  readonly name: string;
  readonly description: string;
  /** What it can do, in a word. */
  readonly verb: string;
}

const SPEAKER: AgentAbout = { name: "speaker", description: "Says things aloud", verb: "say" };

/** An A2A agent (0.3, JSON-RPC) whose text, timing and chunks are scripted by the test. */
export class ScriptedAgent implements AsyncDisposable {
  readonly #server: Server;
  readonly #about: AgentAbout;
  readonly #tasks = new Map<string, ScriptedTask>();
  /** Its script, which a test may change between requests. */
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
    const body = await requestBody(request);
    if (body === undefined) return;
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
    const left = once(response, "close");
    for await (const result of task.events(!known)) {
      const isTaken = response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
      if (response.destroyed) return;
      if (!isTaken) await Promise.race([once(response, "drain"), left]);
    }
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
    const { name, description, verb } = this.#about;
    const modes = { defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] };
    return {
      ...{ protocolVersion: "0.3.0", name, description, version: "1" },
      ...{ url: `${this.url}/`, preferredTransport: "JSONRPC", capabilities: { streaming: true }, ...modes },
      skills: [{ id: verb, name: verb, description, tags: [verb] }],
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
