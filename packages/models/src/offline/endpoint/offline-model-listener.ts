import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Model, ModelEvent } from "../../model.ts";
import { offlineModel } from "../offline-model.ts";
import { ChunkEncoder, chatCompletion } from "./chat-completion.ts";
import { type ChatRequest, chatRequest, modelRequestOf } from "./chat-request.ts";
import { RequestError, readBody } from "./request-body.ts";

/** Where the endpoint lives; a client's base URL is this behind the host. */
export const OFFLINE_MODEL_PATH = "/offline-model/v1";

const MODEL_NAMES = new Set(["parley", "offline", "offline:parley"]);
const STALLED_MS = 60_000;

export interface OfflineModelListenerOptions {
  /** Told what went wrong on our side, of which a client hears only that something did. */
  readonly onError?: (error: unknown) => void;
}

/** The offline model as an OpenAI-compatible endpoint: lists its one model, and completes chats, streamed or not. */
export function offlineModelListener(options: OfflineModelListenerOptions = {}): RequestListener {
  const model = offlineModel();
  return (request, response) => {
    answer(model, request, response).catch((error: unknown) => {
      if (!(error instanceof RequestError) && !response.destroyed) options.onError?.(error);
      fail(response, error);
    });
  };
}

async function answer(model: Model, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = new URL(request.url ?? "/", "http://offline").pathname;
  switch (path) {
    case `${OFFLINE_MODEL_PATH}/models`:
      allow(request, "GET");
      return send(response, 200, {
        object: "list",
        data: [{ id: "parley", object: "model", created: 0, owned_by: "parley" }],
      });
    case `${OFFLINE_MODEL_PATH}/chat/completions`:
      allow(request, "POST");
      return complete(model, readChat(await readBody(request)), response);
    default:
      throw new RequestError(
        404,
        "not_found",
        `There is nothing at ${path}: try ${OFFLINE_MODEL_PATH}/models`,
      );
  }
}

function allow(request: IncomingMessage, method: string): void {
  if (request.method !== method) throw new RequestError(405, "method_not_allowed", `Use ${method} here`);
}

function readChat(body: unknown): ChatRequest {
  const { data, error } = chatRequest.safeParse(body);
  if (data === undefined) {
    const [issue] = error.issues;
    throw new RequestError(
      400,
      "invalid_request",
      `${issue?.path.join(".") || "body"}: ${issue?.message ?? "not valid"}`,
    );
  }
  if (!MODEL_NAMES.has(data.model)) {
    throw new RequestError(404, "model_not_found", `There is no model "${data.model}" here: use "parley"`);
  }
  return data;
}

async function complete(model: Model, chat: ChatRequest, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const events = model.turn(modelRequestOf(chat), gone.signal);
  if (chat.stream === true) return stream(events, { chat, response, gone: gone.signal });
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  send(response, 200, chatCompletion(all));
}

async function stream(
  events: AsyncIterable<ModelEvent>,
  { chat, response, gone }: { chat: ChatRequest; response: ServerResponse; gone: AbortSignal },
): Promise<void> {
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
  const encoder = new ChunkEncoder({ withUsage: chat.stream_options?.include_usage === true });
  for await (const event of events) {
    if (response.write(encoder.frames(event))) continue;
    // A reader that takes nothing for a minute is given up.
    await once(response, "drain", { signal: AbortSignal.any([gone, AbortSignal.timeout(STALLED_MS)]) });
  }
  response.end();
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  response.end(JSON.stringify(body));
}

function fail(response: ServerResponse, error: unknown): void {
  // Too late to say anything in words: the client sees the cut.
  if (response.headersSent || response.destroyed) return void response.destroy();
  const known =
    error instanceof RequestError ? error : new RequestError(500, "server_error", "The model failed");
  const type = known.status < 500 ? "invalid_request_error" : "server_error";
  send(response, known.status, { error: { message: known.message, type, param: null, code: known.code } });
}
