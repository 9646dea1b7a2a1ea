import type { IncomingMessage, ServerResponse } from "node:http";
import type { AnsweringDialect, ArtifactPositions, OperationRequests } from "../dialects/dialect.ts";
import type { Message } from "../protocol/model.ts";
import type { Caller } from "../tasks/caller.ts";
import type { EventBatches, TaskOperations } from "../tasks/task-operations.ts";
import { artifactPositions } from "./artifact-positions.ts";
import { type Envelope, eventFrames } from "./event-frames.ts";
import { lastEventId } from "./request-headers.ts";
import { closeSignal, SseResponse, sseFrame } from "./sse-response.ts";

/** A call that is answered with a stream: who asks, in which dialect, and how the binding writes its frames. */
export interface StreamExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly dialect: AnsweringDialect;
  readonly envelope: Envelope;
  /** The last frame of a stream that fails. */
  readonly errorFrame: (error: unknown) => string;
}

/** Sends a message and streams what comes of it; what is refused before the first frame is thrown. */
export async function answerStream(
  tasks: TaskOperations,
  exchange: StreamExchange,
  params: OperationRequests["stream"],
): Promise<void> {
  const accepted = await tasks.stream(params, exchange.caller, closeSignal(exchange.response));
  if ("message" in accepted) return sendMessage(exchange, accepted.message);
  await sendEvents(exchange, accepted.events, artifactPositions());
}

/** Streams a task from now on, or on from `Last-Event-ID`; what is refused before the first frame is thrown. */
export async function answerSubscribe(
  tasks: TaskOperations,
  exchange: StreamExchange,
  { id }: OperationRequests["subscribe"],
): Promise<void> {
  const { request, response, caller } = exchange;
  const after = lastEventId(request);
  const signal = closeSignal(response);
  const events = await tasks.subscribe({ id, signal, ...(after !== undefined && { after }) }, caller);
  const known = after === undefined ? [] : (await tasks.get({ id, historyLength: 0 }, caller)).artifacts;
  await sendEvents(exchange, events, artifactPositions(known));
}

async function sendMessage({ dialect, envelope, response }: StreamExchange, message: Message): Promise<void> {
  const event = { payload: { message }, json: JSON.stringify({ message }) };
  const results = dialect.eventEncoder(artifactPositions())(event);
  const sse = new SseResponse(response);
  const { before, after } = envelope;
  await sse.write(results.map((result) => sseFrame(undefined, before + result + after)).join(""));
  sse.end();
}

async function sendEvents(
  { dialect, envelope, errorFrame, response }: StreamExchange,
  events: EventBatches,
  positions: ArtifactPositions,
): Promise<void> {
  const encode = dialect.eventEncoder(positions);
  const sse = new SseResponse(response);
  try {
    for await (const batch of events) await sse.write(eventFrames(batch, encode, envelope));
  } catch (error) {
    await sse.write(errorFrame(error));
  } finally {
    sse.end();
  }
}
