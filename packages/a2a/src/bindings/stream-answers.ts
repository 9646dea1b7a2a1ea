import type { IncomingMessage, ServerResponse } from "node:http";
import { type RecordedEvent, StorageError } from "@parley/journal";
import type {
  AnsweringDialect,
  ArtifactPositions,
  EventEncoder,
  Operation,
  OperationRequests,
  TaskNames,
} from "../dialects/dialect.ts";
import type { Artifact, Message, StreamResponse } from "../protocol/model.ts";
import type { Caller } from "../tasks/caller.ts";
import type { EventBatches } from "../tasks/task-operations.ts";
import { type AgentOperations, mayChange } from "./agent-operations.ts";
import { checkAccess, readingSignal } from "./lost-access.ts";
import { lastEventId } from "./request-headers.ts";
import { closeSignal, SseResponse, sseFrame } from "./sse-response.ts";

/** The text around each result of a stream; REST has none. */
interface Envelope {
  readonly before: string;
  readonly after: string;
}

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

/** The task and the context that a request names, for answers of a dialect that must carry them. */
export function namesIn(request: OperationRequests[Operation]): TaskNames {
  if (!("message" in request)) return {};
  const { taskId, contextId } = request.message;
  return { ...(taskId !== undefined && { id: taskId }), ...(contextId !== undefined && { contextId }) };
}

/** Sends a message and streams what comes of it; what is refused before the first frame is thrown. */
export async function answerStream(
  { tasks, streams }: AgentOperations,
  exchange: StreamExchange,
  params: OperationRequests["stream"],
): Promise<void> {
  const { request, caller } = exchange;
  using _place = streams.take(caller);
  const after = caller.requestKey && lastEventId(request);
  const accepted = await tasks.stream(params, mayChange(caller), endOf(exchange), after);
  if ("message" in accepted) return await sendMessage(exchange, accepted.message, namesIn(params));
  const known = after === undefined ? [] : await knownArtifacts(tasks, accepted.taskId, caller);
  await sendEvents(exchange, accepted.events, artifactPositions(known));
}

/** Streams a task from now on, or on from `Last-Event-ID`; what is refused before the first frame is thrown. */
export async function answerSubscribe(
  { tasks, streams }: AgentOperations,
  exchange: StreamExchange,
  { id }: OperationRequests["subscribe"],
): Promise<void> {
  const { request, caller } = exchange;
  using _place = streams.take(caller);
  const after = lastEventId(request);
  const signal = endOf(exchange);
  const events = await tasks.subscribe({ id, signal, ...(after !== undefined && { after }) }, caller);
  const known = after === undefined ? [] : await knownArtifacts(tasks, id, caller);
  await sendEvents(exchange, events, artifactPositions(known));
}

function endOf({ response, caller }: StreamExchange): AbortSignal {
  return readingSignal(caller, closeSignal(response));
}

// Whoever goes on with a stream has seen artifacts, whose numbers must stay what they were.
async function knownArtifacts(
  tasks: AgentOperations["tasks"],
  id: string,
  caller: Caller,
): Promise<readonly Artifact[]> {
  return (await tasks.get({ id, historyLength: 0 }, caller)).artifacts ?? [];
}

async function sendMessage(
  { dialect, envelope, response }: StreamExchange,
  message: Message,
  names: TaskNames,
): Promise<void> {
  const event = { payload: { message }, json: JSON.stringify({ message }) };
  const results = dialect.eventEncoder(artifactPositions(), names)(event);
  const sse = new SseResponse(response);
  const { before, after } = envelope;
  await sse.write(results.map((result) => sseFrame(before + result + after)).join(""));
  sse.end();
}

async function sendEvents(
  { dialect, envelope, errorFrame, response, caller }: StreamExchange,
  events: EventBatches,
  positions: ArtifactPositions,
): Promise<void> {
  const encode = dialect.eventEncoder(positions);
  const sse = new SseResponse(response);
  try {
    for await (const batch of events) await sse.write(eventFrames(batch, encode, envelope));
    checkAccess(caller);
  } catch (error) {
    const frame = errorFrame(error);
    // A storage that is away says nothing of the task: whoever is cut off comes again, and an error would be the end.
    if (error instanceof StorageError) response.destroy();
    else await sse.write(frame);
  } finally {
    sse.end();
  }
}

/** Numbers artifacts in the order in which they appear, after the ones that the task already has. */
function artifactPositions(known: readonly Artifact[] = []): ArtifactPositions {
  const positions = new Map(known.map(({ artifactId }, position) => [artifactId, position]));
  return (artifactId) => {
    const position = positions.get(artifactId) ?? positions.size;
    positions.set(artifactId, position);
    return position;
  };
}

/**
 * A batch of events as one text of frames. The index travels with the last frame of each event, so that whoever
 * resumes after it has seen the event whole.
 */
function eventFrames(
  events: readonly RecordedEvent<StreamResponse>[],
  encode: EventEncoder,
  { before, after }: Envelope,
): string {
  let frames = "";
  for (const event of events) {
    const results = encode(event);
    for (let n = 0; n < results.length; n++) {
      const id = n === results.length - 1 ? event.index : undefined;
      frames += sseFrame(before + results[n] + after, { id });
    }
  }
  return frames;
}
