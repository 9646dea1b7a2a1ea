import { type Context, Hono } from "hono";
import type { ApiEnvironment } from "../../api/api-options.ts";
import { checkStreamable, streamRun } from "../run-stream.ts";
import { waitForAnswer } from "../whole-answer.ts";
import type { Answering } from "./asking/asking.ts";
import { type ChatRequest, chatRequest, chatTelling } from "./asking/chat-request.ts";
import { frontEndTask } from "./asking/front-end-task.ts";
import { unusedHeader, unusedOptions } from "./asking/request-options.ts";
import { markWhenTold } from "./mark-when-told.ts";
import { checkModel } from "./models.ts";
import { openAiBody } from "./openai-body.ts";
import { requestHeaders } from "./request-headers.ts";
import type { Served } from "./served.ts";
import { ChatChunks, ChatStream, chatHead, DONE, endingProblem } from "./telling/chat-stream.ts";
import { ChatTale, type Delta, type ToolCall, type Wanted } from "./telling/chat-tale.ts";
import { heardRun } from "./telling/heard-run.ts";
import { followed, type PartOfRun } from "./telling/part-of-run.ts";
import { chatUsage } from "./telling/usage.ts";

/** `POST /v1/chat/completions`. */
export function chatRoutes(served: Served): Hono<ApiEnvironment> {
  const { api, door } = served;
  const routes = new Hono<ApiEnvironment>();
  routes.post("/v1/chat/completions", async (context) => {
    const body = await openAiBody(context, chatRequest);
    const { principal } = context.var;
    await checkModel(api, principal, body.model);
    const telling = chatTelling(body);
    const task = frontEndTask(telling.now.content);
    if (task !== undefined) return answerTask(context, body, task);
    const unused = unusedHeader(unusedOptions("chat", body));
    checkStreamable(api, principal);
    const { key, isRepeated, sessionId, toolCalls } = await requestHeaders(api, context);
    const { reasoning_effort: effort } = body;
    const thinking = typeof effort === "string" && effort !== "none";
    const answering = await door.ask({
      ...{ principal, telling, agent: body.model, thinking, key, isRepeated },
      place: sessionId === undefined ? { kind: "history" } : { kind: "session", id: sessionId, make: true },
    });
    const wanted = { reasoning: thinking, toolCalls };
    const headers = { "X-Session-Id": answering.sessionId, ...unused };
    return body.stream
      ? streamChat(served, context, { answering, body, wanted, headers })
      : wholeChat(served, context, { answering, body, wanted, headers });
  });
  return routes;
}

interface Answer {
  readonly answering: Answering;
  readonly body: ChatRequest;
  readonly wanted: Wanted;
  readonly headers: Readonly<Record<string, string>>;
}

function streamChat(
  served: Served,
  context: Context<ApiEnvironment>,
  { answering, body, wanted, headers }: Answer,
): Response {
  const { api } = served;
  const usage = body.stream_options?.include_usage === true;
  const stream = new ChatStream({ ...wanted, model: body.model, usage });
  let part: PartOfRun | undefined;
  markWhenTold(served, context, () => (stream.isTold ? part : undefined));
  const open = async (signal: AbortSignal) => {
    part = await heardRun(api.sessions, context.var.principal, answering, signal);
    if (part) stream.opened(part);
    return part && followed(part);
  };
  return streamRun(api, context, open, stream, headers);
}

async function wholeChat(
  served: Served,
  context: Context<ApiEnvironment>,
  { answering, body, wanted, headers }: Answer,
): Promise<Response> {
  const { api } = served;
  const collected: Delta[] = [];
  let part: PartOfRun | undefined;
  let tale: ChatTale | undefined;
  const left = await waitForAnswer(api, context, {
    async begin(signal) {
      part = await heardRun(api.sessions, context.var.principal, answering, signal);
      if (!part) return undefined;
      tale = new ChatTale(part, wanted);
      collected.push(...tale.begin());
      return followed(part);
    },
    event: (recorded) => void collected.push(...(tale?.event(recorded) ?? [])),
  });
  if (!part || !tale) throw new Error("An answer that was waited for is of no run");
  collected.push(...tale.end(left));
  const { ending } = tale;
  markWhenTold(served, context, () => (ending.kind === "changed" ? undefined : part));
  if (ending.kind !== "said") throw endingProblem(ending);
  const usage = chatUsage(ending.usage);
  const { state, run } = part;
  const answer = {
    ...{ ...chatHead(part, body.model), object: "chat.completion" },
    choices: [{ index: 0, message: messageOf(collected), logprobs: null, finish_reason: "stop" }],
    ...(usage && { usage }),
    metadata: { session_id: state.id, run_id: run.id },
  };
  return context.json(answer, 200, { ...headers });
}

function messageOf(deltas: readonly Delta[]) {
  const joined = (text: (delta: Delta) => string | undefined) =>
    deltas.map((delta) => text(delta) ?? "").join("");
  const reasoning = joined((delta) => delta.reasoning_content);
  const calls = deltas.flatMap((delta): readonly ToolCall[] => delta.tool_calls ?? []);
  return {
    ...{ role: "assistant", content: joined((delta) => delta.content), refusal: null },
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(({ index: _, ...call }) => call) }),
  };
}

/** What a front end asks for itself: nothing is recorded, and no agent is asked. */
function answerTask(context: Context<ApiEnvironment>, body: ChatRequest, content: string): Response {
  const head = { id: "chatcmpl-without-a-run", created: Math.floor(Date.now() / 1_000), model: body.model };
  if (body.stream) {
    const chunks = new ChatChunks(head, body.stream_options?.include_usage === true);
    const frames = chunks.first() + chunks.delta({ content }) + chunks.last(undefined) + DONE;
    return context.body(frames, 200, { "Content-Type": "text/event-stream" });
  }
  const message = { role: "assistant", content, refusal: null };
  return context.json({
    ...{ ...head, object: "chat.completion" },
    choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  });
}
