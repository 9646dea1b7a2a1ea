import { SSE_DONE } from "@parley/a2a";
import { type Context, Hono } from "hono";
import type { AdapterEnvironment } from "../adapter-host.ts";
import { checkCanStream, streamRun, waitForAnswer } from "../run-stream.ts";
import type { RunPartRef } from "./conversation/chat-command.ts";
import { markWhenDelivered, type OpenAiContext } from "./conversation/delivery-receipts.ts";
import { chatCompletion } from "./encoding/chat-completion.ts";
import { ChatCompletionEncoder, type Delta, type Wanted } from "./encoding/chat-completion-encoder.ts";
import { ChatChunks, ChatStreamEncoder, chatHead, endingProblem } from "./encoding/chat-stream-encoder.ts";
import { followed, type RunPart, resolveAnsweringRun } from "./encoding/run-part.ts";
import { chatUsage } from "./encoding/usage.ts";
import { checkModel } from "./models.ts";
import { type ChatRequest, chatRequest, chatTranscript } from "./parsing/chat-request.ts";
import { frontEndTask } from "./parsing/front-end-task.ts";
import { openAiBody, requestHeaders, unusedHeader, unusedOptions } from "./parsing/request-options.ts";

/** `POST /v1/chat/completions`. */
export function chatRoutes(served: OpenAiContext): Hono<AdapterEnvironment> {
  const { host, resolver } = served;
  const routes = new Hono<AdapterEnvironment>();
  routes.post("/v1/chat/completions", async (context) => {
    const body = await openAiBody(context, chatRequest);
    const { principal } = context.var;
    await checkModel(host, principal, body.model);
    const transcript = chatTranscript(body);
    const task = frontEndTask(transcript.newest.content);
    if (task !== undefined) return answerTask(context, body, task);
    const unused = unusedHeader(unusedOptions("chat", body));
    checkCanStream(host, principal);
    const { key, isRepeated, sessionId, toolCalls } = await requestHeaders(host, context);
    const { reasoning_effort: effort } = body;
    const thinking = typeof effort === "string" && effort !== "none";
    const answering = await resolver.resolve({
      principal,
      transcript,
      agent: body.model,
      thinking,
      key,
      isRepeated,
      target:
        sessionId === undefined ? { kind: "history" } : { kind: "session", id: sessionId, create: true },
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
  readonly answering: RunPartRef;
  readonly body: ChatRequest;
  readonly wanted: Wanted;
  readonly headers: Readonly<Record<string, string>>;
}

function streamChat(
  served: OpenAiContext,
  context: Context<AdapterEnvironment>,
  { answering, body, wanted, headers }: Answer,
): Response {
  const { host } = served;
  const usage = body.stream_options?.include_usage === true;
  const stream = new ChatStreamEncoder({ ...wanted, model: body.model, usage });
  let part: RunPart | undefined;
  markWhenDelivered(served, context, () => (stream.isComplete ? part : undefined));
  const open = async (signal: AbortSignal) => {
    part = await resolveAnsweringRun(host.sessions, context.var.principal, answering, signal);
    if (part) stream.opened(part);
    return part && followed(part);
  };
  return streamRun(host, context, open, stream, headers);
}

async function wholeChat(
  served: OpenAiContext,
  context: Context<AdapterEnvironment>,
  { answering, body, wanted, headers }: Answer,
): Promise<Response> {
  const { host } = served;
  const collected: Delta[] = [];
  let part: RunPart | undefined;
  let encoder: ChatCompletionEncoder | undefined;
  const left = await waitForAnswer(host, context, {
    async begin(signal) {
      part = await resolveAnsweringRun(host.sessions, context.var.principal, answering, signal);
      if (!part) return undefined;
      encoder = new ChatCompletionEncoder(part, wanted);
      collected.push(...encoder.begin());
      return followed(part);
    },
    event: (recorded) => void collected.push(...(encoder?.event(recorded) ?? [])),
  });
  if (!part || !encoder) throw new Error("Awaited answer has no run");
  collected.push(...encoder.end(left));
  const { ending } = encoder;
  markWhenDelivered(served, context, () => (ending.kind === "changed" ? undefined : part));
  if (ending.kind !== "complete") throw endingProblem(ending);
  const answer = {
    ...chatCompletion(chatHead(part, body.model), collected, chatUsage(ending.usage)),
    metadata: { session_id: part.state.id, run_id: part.run.id },
  };
  return context.json(answer, 200, { ...headers });
}

/** Answers a front end's own task: nothing is recorded, and no agent is asked. */
function answerTask(context: Context<AdapterEnvironment>, body: ChatRequest, content: string): Response {
  const head = { id: "chatcmpl-without-a-run", created: Math.floor(Date.now() / 1_000), model: body.model };
  if (body.stream) {
    const chunks = new ChatChunks(head, body.stream_options?.include_usage === true);
    const frames = chunks.first() + chunks.delta({ content }) + chunks.last(undefined) + SSE_DONE;
    return context.body(frames, 200, { "Content-Type": "text/event-stream" });
  }
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  return context.json(chatCompletion(head, [{ content }], usage));
}
