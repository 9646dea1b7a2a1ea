import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { requestBody } from "@parley/testing/request-body.ts";
import { fileRequestIn, LETTER, type Request, requestIn, tokensOf } from "./spoken-words.ts";

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
      const body = await requestBody(request);
      if (body === undefined) return;
      await this.#answer(JSON.parse(body) as ChatRequest, response).catch(() => response.destroy());
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
    const words = JSON.stringify(messages[asked]?.content ?? "");
    const request = requestIn(words);
    const result = messages.slice(asked).find(({ role }) => role === "tool");
    const call = result ? undefined : callIn(words, tools);
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (call !== undefined) response.write(call);
    // A file request is answered with the tool's result.
    else if (result && !request) response.write(delta({ content: JSON.stringify(result.content) }));
    else await this.#speak(request, response);
    response.write(delta({}, call === undefined ? "stop" : "tool_calls"));
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

/** The call of the tool that these words want, if the agent has it. */
function callIn(words: string, tools: ChatRequest["tools"] = []): string | undefined {
  const [request, file] = [requestIn(words), fileRequestIn(words)];
  const wanted = { store: "write_file", fetch: "read_text_file", enter: "enter" };
  const verb = request?.entered ? "enter" : file?.verb;
  const name = verb && tools.find((tool) => tool.function.name.endsWith(wanted[verb]))?.function.name;
  if (name === undefined) return undefined;
  const given = request?.entered
    ? { entry: request.key }
    : { path: file?.path, ...(verb === "store" && { content: LETTER }) };
  const id = `call_${request?.key ?? randomUUID()}`;
  const tool = { name, arguments: JSON.stringify(given) };
  return delta({ tool_calls: [{ index: 0, id, type: "function", function: tool }] });
}
