import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { listening } from "../../peers/peer-server.ts";

/** The model's output in one turn. */
export type ScriptedTurn =
  | { readonly text: string }
  | { readonly tool: string; readonly arguments: object }
  | { readonly plan: readonly PlannedStep[] };

/** One step of a plan; what is left out is made up from its agent. */
interface PlannedStep {
  readonly agent: string;
  readonly request?: string;
  readonly dependencies?: readonly string[];
}

interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
}

interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string; readonly description: string } }[];
}

/** A model on a port of its own that speaks as OpenAI-compatible ones do, and whose turns are written down. */
export interface ScriptedEndpoint {
  /** To be set as `OPENAI_COMPATIBLE_BASE_URL`. */
  readonly url: string;
  /** The joined tool results that each turn received. */
  readonly toolResults: readonly string[];
  /** The tools that each turn could choose from, by name, with their descriptions. */
  readonly offered: readonly Readonly<Record<string, string>>[];
  stop(): Promise<void>;
}

/** Plays these turns in order for each user message; after them, it answers "Done.". */
export async function startScriptedEndpoint(turns: readonly ScriptedTurn[]): Promise<ScriptedEndpoint> {
  const toolResults: string[] = [];
  const offered: Record<string, string>[] = [];
  const server = await listening(async (request: IncomingMessage, response: ServerResponse) => {
    const { messages, tools = [] } = (await json(request)) as ChatRequest;
    offered.push(Object.fromEntries(tools.map(({ function: { name, description } }) => [name, description])));
    const since = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
    const place = since.filter(({ role }) => role === "assistant").length;
    const results = since.filter(({ role }) => role === "tool").map(({ content }) => content);
    toolResults.push(results.join("\n"));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(framesOf(turns[place] ?? { text: "Done." }).join(""));
  });
  return { url: `${server.url}/v1`, toolResults, offered, stop: () => server.stop() };
}

function framesOf(turn: ScriptedTurn): string[] {
  const call = callOf(turn);
  const deltas = call ? calling(call) : [{ content: "text" in turn ? turn.text : "" }];
  return [
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, call ? "tool_calls" : "stop"),
    frame({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }),
    "data: [DONE]\n\n",
  ];
}

function callOf(turn: ScriptedTurn): { readonly tool: string; readonly arguments: object } | undefined {
  if ("text" in turn) return undefined;
  if ("tool" in turn) return turn;
  const steps = turn.plan.map(({ agent, request = `work for ${agent}`, dependencies = [] }, place) => {
    return { id: `${place + 1}`, title: `Ask ${agent}`, agent, request, dependencies };
  });
  return { tool: "carry_out_plan", arguments: { steps } };
}

/** The arguments come in pieces of a few characters, as models write them. */
function calling({ tool: name, arguments: given }: { tool: string; arguments: object }): object[] {
  const pieces = JSON.stringify(given).match(/.{1,6}/gsu) ?? [];
  const begun = { index: 0, id: "call_1", type: "function", function: { name, arguments: "" } };
  return [begun, ...pieces.map((piece) => ({ index: 0, function: { arguments: piece } }))].map((call) => ({
    tool_calls: [call],
  }));
}

function chunk(delta: object, finish: string | null): string {
  return frame({ choices: [{ index: 0, delta, finish_reason: finish }] });
}

function frame(body: object): string {
  const head = { id: "chat-1", object: "chat.completion.chunk", created: 1, model: "scripted" };
  return `data: ${JSON.stringify({ ...head, ...body })}\n\n`;
}
