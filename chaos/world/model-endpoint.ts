import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { type Request, requestIn, tokensOf } from "./spoken-words.ts";

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

const HEAD = { id: "chat_1", object: "chat.completion.chunk", created: 1, model: "words" };
const frame = (data: object) => `data: ${JSON.stringify({ ...HEAD, ...data })}\n\n`;
const delta = (content: object, end: string | null = null) =>
  frame({ choices: [{ index: 0, delta: content, finish_reason: end }] });

/** The model of the sub-agents, in the OpenAI-compatible wire format: it says what it was asked to, slowly. */
export class ModelEndpoint {
  readonly #server: Server;
  readonly #tokenEveryMs: number;

  private constructor(tokenEveryMs: number) {
    this.#tokenEveryMs = tokenEveryMs;
    this.#server = createServer(async (request, response) => {
      const chat = JSON.parse(await text(request)) as ChatRequest;
      await this.#answer(chat, response).catch(() => response.destroy());
    });
    this.#server.keepAliveTimeout = 600_000;
  }

  static async start(port: number, tokenEveryMs: number): Promise<ModelEndpoint> {
    const model = new ModelEndpoint(tokenEveryMs);
    model.#server.listen(port, "127.0.0.1");
    await once(model.#server, "listening");
    return model;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer({ messages, tools = [] }: ChatRequest, response: ServerResponse): Promise<void> {
    const asked = messages.findLastIndex(({ role }) => role === "user");
    const request = requestIn(JSON.stringify(messages[asked]?.content ?? ""));
    const tool = tools.find(({ function: { name } }) => name.endsWith("enter"))?.function.name;
    const isEntered = messages.slice(asked).some(({ role }) => role === "tool");
    response.writeHead(200, { "content-type": "text/event-stream" });
    const calls = request?.entered && tool !== undefined && !isEntered;
    if (calls) response.write(callOf(tool, request));
    else await this.#speak(request, response);
    response.write(delta({}, calls ? "tool_calls" : "stop"));
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
    response.end(`${frame({ choices: [], usage })}data: [DONE]\n\n`);
  }

  async #speak(request: Request | undefined, response: ServerResponse): Promise<void> {
    for (const content of request ? tokensOf(request) : ["What shall I say? "]) {
      await sleep(this.#tokenEveryMs);
      if (response.destroyed) return;
      response.write(delta({ content }));
    }
  }
}

function callOf(name: string, { key }: Request): string {
  const given = { name, arguments: JSON.stringify({ entry: key }) };
  return delta({ tool_calls: [{ index: 0, id: `call_${key}`, type: "function", function: given }] });
}
