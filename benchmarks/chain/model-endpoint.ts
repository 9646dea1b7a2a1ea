// An endpoint that speaks the OpenAI-compatible wire format and does as the user's words say: `say 500`, or
// `wait 200, say 500, 100 a second`. Who has `carry_out_plan` among its tools gets a plan of one step, at once.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { AGENT, tokenText } from "./wording.ts";

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

const head = { id: "chat_1", object: "chat.completion.chunk", created: 1, model: "words" };
const frame = (data: object) => `data: ${JSON.stringify({ ...head, ...data })}\n\n`;
const delta = (content: object, end: string | null = null) =>
  frame({ choices: [{ index: 0, delta: content, finish_reason: end }] });

const server = createServer(async (request, response) => {
  const { messages, tools = [] } = JSON.parse(await text(request)) as ChatRequest;
  const words = JSON.stringify(messages.findLast(({ role }) => role === "user")?.content ?? "");
  response.writeHead(200, { "content-type": "text/event-stream" });
  const plans = tools.some((tool) => tool.function.name === "carry_out_plan");
  const tokens = plans ? plan(response, words) : await say(response, words);
  response.write(delta({}, plans ? "tool_calls" : "stop"));
  const usage = { prompt_tokens: 10, completion_tokens: tokens, total_tokens: 10 + tokens };
  response.end(`${frame({ choices: [], usage })}data: [DONE]\n\n`);
});
// A keep-alive connection closed at the moment of its reuse would be retried a second later.
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () =>
  console.log(`http://localhost:${(server.address() as AddressInfo).port}`),
);

function plan(response: ServerResponse, words: string): number {
  const [request = ""] = /(wait|say)[\w ,]+/.exec(words) ?? [];
  const step = { id: "speak", title: "Let it speak", agent: AGENT, request, dependencies: [] };
  const written = JSON.stringify({ steps: [step] });
  const call = { index: 0, id: "call_1", type: "function" };
  response.write(delta({ tool_calls: [{ ...call, function: { name: "carry_out_plan", arguments: "" } }] }));
  const pieces = written.match(/.{1,5}/g) ?? [];
  for (const piece of pieces)
    response.write(delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] }));
  return pieces.length;
}

async function say(response: ServerResponse, words: string): Promise<number> {
  const number = (pattern: RegExp) => Number(pattern.exec(words)?.[1] ?? 0);
  const [count, wait, rate] = [number(/say (\d+)/), number(/wait (\d+)/), number(/(?<!\d)(\d+) a second/)];
  const began = performance.now();
  for (let n = 0; n < count; n++) {
    // By the clock instead of by adding pauses, so that a late token does not delay the next ones.
    const early = began + wait + (rate && (n * 1_000) / rate) - performance.now();
    if (rate && early > 0) await pause(early);
    if (!response.write(delta({ content: tokenText(n) }))) await once(response, "drain");
  }
  return count;
}
