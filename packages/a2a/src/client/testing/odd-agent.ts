import type { IncomingMessage, ServerResponse } from "node:http";
import { loopbackServer } from "../../egress/testing/loopback-server.ts";
import type { Json } from "../../protocol/model.ts";
import { A2AClient } from "../a2a-client.ts";
import type { ClientObserver } from "../client-observer.ts";
import type { ConnectOptions } from "../client-options.ts";
import type { StreamedEvent } from "../streams/resumable-stream.ts";

/** One call that came in, and the ways to answer it. */
export interface OddCall {
  readonly method: string;
  readonly params: { readonly [name: string]: Json };
  readonly headers: IncomingMessage["headers"];
  readonly url: string;
  /** How many calls of this method came before. */
  readonly before: number;
  readonly response: ServerResponse;
  result(result: Json): void;
  error(code: number, message?: string): void;
  /** Begins a stream. */
  stream(): OddStream;
}

/** A stream that is written by hand. */
interface OddStream {
  send(result: Json, id?: string): OddStream;
  raw(text: string | Uint8Array): OddStream;
  /** Closes it as if all were well. */
  end(): void;
  /** Breaks the connection once all has left. */
  drop(): void;
}

/** An agent whose every answer is written by a test. */
export interface OddAgent {
  readonly url: string;
  readonly calls: readonly Pick<OddCall, "method" | "params" | "headers" | "url">[];
  /** What the client had to put up with, by the observer's names. */
  readonly heard: Readonly<Record<string, number>>;
  connect(options?: Partial<ConnectOptions>): Promise<A2AClient>;
}

/** Pauses that a test does not notice. */
export const QUICK = {
  retry: { tries: 3, firstDelayMs: 1, maxDelayMs: 5 },
  reconnect: { tries: 3, firstDelayMs: 1, maxDelayMs: 1_000 },
  poll: { firstDelayMs: 1, maxDelayMs: 5 },
  late: 50,
};

/** A card in v1.0, over JSON-RPC, with streams. */
export function oddCard(url: string, more: object = {}): object {
  return {
    name: "Odd",
    description: "An agent of a test",
    version: "1",
    supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
    ...more,
  };
}

/** Serves the card and hands over every call; what `card` returns is served as it is. */
export async function oddAgent(
  answer: (call: OddCall) => unknown,
  card: (url: string) => object = oddCard,
): Promise<OddAgent> {
  const calls: OddCall[] = [];
  const heard: Record<string, number> = {};
  const server = await loopbackServer(async (request, response) => {
    if (request.url?.startsWith("/.well-known/")) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(card(url)));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString() || "{}");
    const method = body.method ?? `${request.method} ${request.url?.split("?")[0]}`;
    const before = calls.filter((call) => call.method === method).length;
    const call = callOf({ ...body, method, before }, request, response);
    calls.push(call);
    await answer(call);
  });
  const url = `http://127.0.0.1:${server.port}`;
  const observer = new Proxy({} as ClientObserver, {
    get: (_, name) => () => {
      heard[String(name)] = (heard[String(name)] ?? 0) + 1;
    },
  });
  const connect = (options: Partial<ConnectOptions> = {}) => {
    const limits = { ...QUICK, ...options.limits };
    return A2AClient.connect(url, { policy: { allowOrigins: [url] }, observer, ...options, limits });
  };
  return { url, calls, heard, connect };
}

interface Body {
  readonly method: string;
  readonly params?: OddCall["params"];
  readonly id?: Json;
  readonly before: number;
}

function callOf(
  { method, params = {}, id = null, before }: Body,
  request: IncomingMessage,
  response: ServerResponse,
): OddCall {
  const envelope = (members: object) => JSON.stringify({ jsonrpc: "2.0", id, ...members });
  const json = (text: string) => response.writeHead(200, { "content-type": "application/json" }).end(text);
  return {
    ...{ method, params, before, response, headers: request.headers, url: request.url ?? "" },
    result: (result) => json(envelope({ result })),
    error: (code, message = "no") => json(envelope({ error: { code, message } })),
    stream() {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      const stream: OddStream = {
        send(result, cursor) {
          return stream.raw(
            `${cursor === undefined ? "" : `id: ${cursor}\n`}data: ${envelope({ result })}\n\n`,
          );
        },
        raw(text) {
          response.write(text);
          return stream;
        },
        end: () => response.end(),
        drop: () => {
          // Written first, so that what was sent is not lost with the connection.
          response.write(":\n", () => setTimeout(() => response.destroy(), 5));
        },
      };
      return stream;
    },
  };
}

/** A task in v1.0. */
export function task(state: string, texts: Readonly<Record<string, string>> = {}, id = "t1") {
  const artifacts = Object.entries(texts).map(([artifactId, text]) => ({ artifactId, parts: [{ text }] }));
  return {
    id,
    contextId: "c1",
    status: { state: `TASK_STATE_${state}`, timestamp: "2026-01-01T00:00:00Z" },
    artifacts,
  };
}

/** A piece of an artifact in v1.0. */
export function piece(
  text: string,
  append: boolean,
  more: { artifactId?: string; lastChunk?: boolean; name?: string } = {},
) {
  const { artifactId = "a", lastChunk, name } = more;
  const artifact = { ...(artifactId !== "" && { artifactId }), ...(name && { name }), parts: [{ text }] };
  return {
    artifactUpdate: { taskId: "t1", contextId: "c1", artifact, append, ...(lastChunk && { lastChunk }) },
  };
}

/** A status in v1.0. */
export function status(state: string) {
  return { statusUpdate: { taskId: "t1", contextId: "c1", status: task(state).status } };
}

/** A message to send. */
export function hello(text = "hello") {
  return { message: { messageId: "m1", role: "ROLE_USER" as const, parts: [{ text }] } };
}

/** What a reader makes of the events: `a:text` for each artifact in the end, the states, and what was flagged. */
export async function read(events: AsyncIterable<StreamedEvent>) {
  const texts: Record<string, string> = {};
  const states: string[] = [];
  const gaps: string[] = [];
  for await (const { event, gap } of events) {
    if (gap) gaps.push(gap);
    if ("task" in event) {
      states.push(event.task.status.state.slice(11));
      for (const { artifactId, parts } of event.task.artifacts ?? []) texts[artifactId] = textIn(parts);
    } else if ("statusUpdate" in event) states.push(event.statusUpdate.status.state.slice(11));
    else if ("artifactUpdate" in event) {
      const { artifact, append } = event.artifactUpdate;
      if (append && texts[artifact.artifactId] === undefined) throw new Error("appended to nothing");
      texts[artifact.artifactId] = (append ? texts[artifact.artifactId] : "") + textIn(artifact.parts);
    }
  }
  return { texts, states, gaps };
}

function textIn(parts: readonly { readonly text?: string }[]): string {
  return parts.map(({ text }) => text ?? "").join("");
}
