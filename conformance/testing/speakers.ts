import { randomUUID } from "node:crypto";
import { codeOfReason } from "./rest-reasons.ts";
import type { Outcome, SeenEvent, SeenTask } from "./seen.ts";
import { seenEvents, seenTask } from "./seen.ts";
import { sseFrames } from "./sse-frames.ts";

/** The options of a message besides its text. */
export interface MessageOptions {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly historyLength?: number;
  /** False returns at once. */
  readonly wait?: boolean;
}

type Fields = Record<string, unknown>;
type Verb = "send" | "stream" | "get" | "cancel" | "subscribe";
export type Headers = Readonly<Record<string, string>>;

/** A client of one dialect over one binding; responses are mapped to a common form. */
export class Speaker {
  readonly name: string;
  readonly #ask: (url: string, verb: Verb, params: Fields, headers: Headers) => Promise<Response>;
  readonly #message: (text: string, options: MessageOptions) => Fields;

  constructor(
    name: string,
    message: (text: string, options: MessageOptions) => Fields,
    ask: (url: string, verb: Verb, params: Fields, headers: Headers) => Promise<Response>,
  ) {
    this.name = name;
    this.#message = message;
    this.#ask = ask;
  }

  at(url: string, headers: Headers = {}) {
    const unary = async (verb: Verb, params: Fields) =>
      outcomeOf(await this.#ask(url, verb, params, headers));
    const stream = (verb: Verb, params: Fields, more: Headers = {}) =>
      this.#ask(url, verb, params, { ...headers, ...more });
    return {
      name: this.name,
      send: (text: string, options: MessageOptions = {}): Promise<Outcome> =>
        unary("send", this.#message(text, options)),
      get: (id: string, more: Fields = {}): Promise<Outcome> => unary("get", { id, ...more }),
      cancel: (id: string): Promise<Outcome> => unary("cancel", { id }),
      stream: async (text: string, options: MessageOptions = {}) =>
        eventsOf(await stream("stream", this.#message(text, options))),
      subscribe: async (id: string, lastEventId?: string) =>
        eventsOf(
          await stream(
            "subscribe",
            { id },
            lastEventId === undefined ? {} : { "last-event-id": lastEventId },
          ),
        ),
    };
  }
}

export type Speaking = ReturnType<Speaker["at"]>;

const rpc =
  (methods: Readonly<Record<Verb, string>>) => (url: string, verb: Verb, params: Fields, headers: Headers) =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: methods[verb], params }),
    });

function v1Message(text: string, { taskId, contextId, historyLength, wait = true }: MessageOptions): Fields {
  const message = { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text }], taskId, contextId };
  return { message, configuration: { returnImmediately: !wait, historyLength } };
}

function v03Message(text: string, { taskId, contextId, historyLength, wait = true }: MessageOptions): Fields {
  const parts = [{ kind: "text", text }];
  const message = { kind: "message", messageId: randomUUID(), role: "user", parts, taskId, contextId };
  return { message, configuration: { blocking: wait, historyLength } };
}

// v0.1 cannot say that it does not want to wait; our extension can.
function v01Message(
  text: string,
  { taskId = randomUUID(), contextId, historyLength, wait = true }: MessageOptions,
): Fields {
  const metadata = wait ? undefined : { "urn:parley:ext:run:1": { carried: { returnImmediately: true } } };
  const message = { role: "user", parts: [{ type: "text", text }] };
  return { id: taskId, sessionId: contextId, message, historyLength, metadata };
}

function askRest(url: string, verb: Verb, params: Fields, headers: Headers): Promise<Response> {
  const { id, ...rest } = params;
  const query = new URLSearchParams(rest as Record<string, string>);
  const routes: Record<Verb, [string, string]> = {
    send: ["POST", "/message:send"],
    stream: ["POST", "/message:stream"],
    get: ["GET", `/tasks/${id}?${query}`],
    cancel: ["POST", `/tasks/${id}:cancel`],
    subscribe: ["POST", `/tasks/${id}:subscribe`],
  };
  const [method, path] = routes[verb];
  const body = method === "POST" ? JSON.stringify(id === undefined ? params : rest) : null;
  return fetch(`${url}/a2a/rest${path}`, {
    method,
    headers: { ...(body && { "content-type": "application/a2a+json" }), ...headers },
    body,
  });
}

const V1 = {
  send: "SendMessage",
  stream: "SendStreamingMessage",
  get: "GetTask",
  cancel: "CancelTask",
  subscribe: "SubscribeToTask",
};
const V03 = {
  send: "message/send",
  stream: "message/stream",
  get: "tasks/get",
  cancel: "tasks/cancel",
  subscribe: "tasks/resubscribe",
};
const V01 = { ...V03, send: "tasks/send", stream: "tasks/sendSubscribe" };

export const v1Speaker = new Speaker("JSON-RPC 1.0", v1Message, rpc(V1));
const v03Speaker = new Speaker("JSON-RPC 0.3", v03Message, rpc(V03));
const v01Speaker = new Speaker("JSON-RPC 0.1", v01Message, rpc(V01));
export const restSpeaker = new Speaker("REST 1.0", v1Message, askRest);

/** Every way to speak to an agent; a further binding joins all proofs by being listed. */
export const SPEAKERS: readonly Speaker[] = [v1Speaker, v03Speaker, v01Speaker, restSpeaker];

/** The task of an outcome; throws for any other. */
export function taskOf(outcome: Outcome): SeenTask {
  if (outcome.task) return outcome.task;
  throw new Error(`No task but ${JSON.stringify(outcome)}`);
}

async function outcomeOf(response: Response): Promise<Outcome> {
  const body = (await response.json()) as Fields;
  const error = body.error as { code: number; details?: { reason: string }[] } | undefined;
  if (error) return { error: error.details ? codeOfReason(error.details[0]?.reason) : error.code };
  return seenTask(body.jsonrpc ? body.result : body);
}

/** The events of a stream, or the error that came instead. */
async function eventsOf(response: Response): Promise<AsyncGenerator<SeenEvent, void, void>> {
  if (response.headers.get("content-type") === "text/event-stream") return seenEvents(sseFrames(response));
  const outcome = await outcomeOf(response);
  return (async function* () {
    yield { kind: "refused", index: undefined, error: outcome.error, raw: undefined };
  })();
}
