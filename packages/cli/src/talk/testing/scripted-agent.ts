import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the agent says to a request, piece by piece. */
export type Script = (request: string) => AsyncIterable<string> | Iterable<string>;

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
    const task = params.message ? this.#begun(params.message) : this.#tasks.get(params.id ?? "");
    const isStream = method === "message/stream" || method === "tasks/resubscribe";
    if (!task || !isStream) {
      if (method === "tasks/cancel") task?.cancel();
      const answer = task ? { result: task.view() } : { error: { code: -32001, message: "No such task" } };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for await (const result of task.events(method === "message/stream"))
      response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
    response.end();
  }

  #begun({ contextId = "context", parts }: Message): ScriptedTask {
    const request = parts.map(({ text = "" }) => text).join("");
    const task = new ScriptedTask(`task-${this.#tasks.size + 1}`, contextId, this.script(request));
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

/** What it was asked for; it goes on whoever listens, and whoever comes late is told what was said so far. */
class ScriptedTask {
  readonly id: string;
  readonly #contextId: string;
  readonly #pieces: string[] = [];
  #state = "working";
  #change = Promise.withResolvers<void>();

  constructor(id: string, contextId: string, script: ReturnType<Script>) {
    this.id = id;
    this.#contextId = contextId;
    void this.#say(script);
  }

  cancel(): void {
    this.#changed("canceled");
  }

  view(): object {
    const parts = [{ kind: "text", text: this.#pieces.join("") }];
    const artifacts = this.#pieces.length > 0 ? [{ ...ARTIFACT, parts }] : [];
    const status = { state: this.#state };
    return { kind: "task", id: this.id, contextId: this.#contextId, status, artifacts };
  }

  /** From its beginning, or from where it is. */
  async *events(isFromStart: boolean): AsyncGenerator<object> {
    const of = { taskId: this.id, contextId: this.#contextId };
    let told = isFromStart ? 0 : this.#pieces.length;
    yield isFromStart
      ? { kind: "task", id: this.id, contextId: this.#contextId, status: { state: "working" } }
      : this.view();
    for (;;) {
      for (let text = this.#pieces[told]; text !== undefined; text = this.#pieces[told]) {
        const artifact = { ...ARTIFACT, parts: [{ kind: "text", text }] };
        yield { kind: "artifact-update", ...of, artifact, append: told > 0, lastChunk: false };
        told++;
      }
      if (this.#state !== "working") break;
      await this.#change.promise;
    }
    yield { kind: "status-update", ...of, status: { state: this.#state }, final: true };
  }

  /** A script that throws makes a task that fails. */
  async #say(script: ReturnType<Script>): Promise<void> {
    let end = "completed";
    try {
      for await (const text of script) {
        if (this.#state !== "working") return;
        this.#pieces.push(text);
        this.#changed("working");
      }
    } catch {
      end = "failed";
    }
    if (this.#state === "working") this.#changed(end);
  }

  #changed(state: string): void {
    this.#state = state;
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers<void>();
    resolve();
  }
}

const ARTIFACT = { artifactId: "answer", name: "current_result" };

interface Message {
  readonly contextId?: string;
  readonly parts: readonly { readonly text?: string }[];
}

interface Call {
  readonly id: number | string;
  readonly method: string;
  readonly params: { readonly id?: string; readonly message?: Message };
}
