import type { IncomingMessage, ServerResponse } from "node:http";
import { StorageError } from "@parley/journal";
import type {
  AnsweringDialect,
  ArtifactPositions,
  Operation,
  OperationRequests,
  StoredEvent,
  TaskNames,
  UnaryOperation,
} from "../dialects/dialect.ts";
import type { Artifact, Message } from "../protocol/model.ts";
import type { Caller, CallerIdentity } from "../tasks/caller.ts";
import { admit } from "./admission.ts";
import { type AgentOperations, mayChange } from "./agent-operations.ts";
import { checkAccess, readingSignal } from "./lost-access.ts";
import { lastEventId } from "./request-headers.ts";
import { closeSignal, SseResponse, sseFrame } from "./sse-response.ts";

/** Answers a request on behalf of this caller, whatever goes wrong. */
export type AgentRequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  identity: CallerIdentity,
) => Promise<void>;

/** A call over HTTP: its caller, its dialect, and how the binding writes responses. */
export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly dialect: AnsweringDialect;
  readonly contentType: string;
  /** Puts a result, which is JSON text already, into what the binding writes around it. */
  readonly wrap: (result: string) => string;
  /** The last frame of a stream that fails. */
  readonly errorFrame: (error: unknown) => string;
}

/** Answers a call with a result or a stream; what is refused before the first byte is thrown. */
export async function answerCall(
  operations: AgentOperations,
  exchange: HttpExchange,
  operation: Operation,
  params: unknown,
): Promise<void> {
  const read = <O extends Operation>(asked: O): OperationRequests[O] =>
    admit(operations, asked, exchange.dialect.decodeRequest(asked, params));
  if (operation === "stream") return answerStream(operations, exchange, read(operation));
  if (operation === "subscribe") return answerSubscribe(operations, exchange, read(operation));
  return answerUnary(operations, exchange, operation, read(operation));
}

async function answerUnary<O extends UnaryOperation>(
  { unary }: AgentOperations,
  { dialect, caller, response, contentType, wrap }: HttpExchange,
  operation: O,
  request: OperationRequests[O],
): Promise<void> {
  const result = dialect.encodeResult(operation, await unary[operation](request, caller), namesIn(request));
  const text = wrap(JSON.stringify(result));
  sendJson(response, { status: 200, text, headers: { "Content-Type": contentType } });
}

/** The task and the context that a request names, for answers of a dialect that must carry them. */
function namesIn(request: OperationRequests[Operation]): TaskNames {
  if (!("message" in request)) return {};
  const { taskId, contextId } = request.message;
  return { ...(taskId !== undefined && { id: taskId }), ...(contextId !== undefined && { contextId }) };
}

async function answerStream(
  { tasks, streams }: AgentOperations,
  exchange: HttpExchange,
  params: OperationRequests["stream"],
): Promise<void> {
  const { request, caller } = exchange;
  using _place = streams.take(caller);
  const after = caller.requestKey && lastEventId(request);
  const accepted = await tasks.stream(params, mayChange(caller), endOf(exchange), after);
  if ("message" in accepted)
    return sendEvents(exchange, single(accepted.message), { names: namesIn(params) });
  const known = after === undefined ? [] : await knownArtifacts(tasks, accepted.taskId, caller);
  await sendEvents(exchange, accepted.events, { known });
}

/** Streams a task from now on, or on from `Last-Event-ID`. */
async function answerSubscribe(
  { tasks, streams }: AgentOperations,
  exchange: HttpExchange,
  { id }: OperationRequests["subscribe"],
): Promise<void> {
  const { request, caller } = exchange;
  using _place = streams.take(caller);
  const after = lastEventId(request);
  const signal = endOf(exchange);
  const events = await tasks.subscribe({ id, signal, ...(after !== undefined && { after }) }, caller);
  const known = after === undefined ? [] : await knownArtifacts(tasks, id, caller);
  await sendEvents(exchange, events, { known });
}

function endOf({ response, caller }: HttpExchange): AbortSignal {
  return readingSignal(caller, closeSignal(response));
}

// A resuming caller has seen artifacts, which must keep their numbers.
async function knownArtifacts(
  tasks: AgentOperations["tasks"],
  id: string,
  caller: Caller,
): Promise<readonly Artifact[]> {
  return (await tasks.get({ id, historyLength: 0 }, caller)).artifacts ?? [];
}

type StreamEvents = AsyncIterable<readonly (StoredEvent & { readonly index?: number })[]>;

async function* single(message: Message): StreamEvents {
  yield [{ payload: { message }, json: JSON.stringify({ message }) }];
}

async function sendEvents(
  { dialect, wrap, errorFrame, response, caller }: HttpExchange,
  events: StreamEvents,
  { known = [], names = {} }: { readonly known?: readonly Artifact[]; readonly names?: TaskNames },
): Promise<void> {
  const encode = dialect.eventEncoder(artifactPositions(known), names);
  const sse = new SseResponse(response);
  try {
    for await (const batch of events) await sse.write(batch.map(frames).join(""));
    checkAccess(caller);
  } catch (error) {
    const frame = errorFrame(error);
    // Unavailable storage does not mean that the task failed: a cut makes the caller resume, an error would end it.
    if (error instanceof StorageError) response.destroy();
    else await sse.write(frame);
  } finally {
    sse.end();
  }

  // The index goes with an event's last frame, so that resuming never splits an event.
  function frames(event: StoredEvent & { readonly index?: number }): string {
    const results = encode(event);
    const framed = (text: string, result: string, n: number) =>
      text + sseFrame(wrap(result), { id: n === results.length - 1 ? event.index : undefined });
    return results.reduce(framed, "");
  }
}

/** Numbers artifacts in the order in which they appear, after the ones that the task already has. */
function artifactPositions(known: readonly Artifact[]): ArtifactPositions {
  const positions = new Map(known.map(({ artifactId }, position) => [artifactId, position]));
  return (artifactId) => {
    const position = positions.get(artifactId) ?? positions.size;
    positions.set(artifactId, position);
    return position;
  };
}

/** A whole answer: its status, its JSON text, and headers beside the usual ones. */
export interface JsonAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers with JSON that must not be cached. */
export function sendJson(response: ServerResponse, { status, text, headers }: JsonAnswer): void {
  const usual = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  response.writeHead(status, { ...usual, ...headers }).end(text);
}
