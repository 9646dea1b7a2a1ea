import { readAnswer } from "./answer-body.ts";
import { AgentResponseError } from "./client-errors.ts";
import type { ClientObserver } from "./client-observer.ts";
import { readEvents, type ServerSentEvent } from "./event-stream.ts";

export interface HttpStreamOptions {
  readonly origin: string;
  readonly eventCharacters: number;
  readonly observer: ClientObserver;
  readonly decodeError: (body: unknown) => Error | undefined;
}

/** The events of a response; an agent that answers with plain JSON is taken to have sent that as its one event. */
export function httpStream(
  response: Response,
  options: HttpStreamOptions,
): AsyncGenerator<ServerSentEvent, void, void> {
  const type = response.headers.get("content-type") ?? "";
  const isStream = response.ok && /^text\/event-stream\b/i.test(type);
  // Not by way of another generator, which costs every event more.
  return isStream && response.body ? readEvents(response.body, options) : oneEvent(response, type, options);
}

async function* oneEvent(
  response: Response,
  type: string,
  { origin, observer, decodeError }: HttpStreamOptions,
): AsyncGenerator<ServerSentEvent, void, void> {
  if (response.ok && !/\bjson\b/i.test(type)) {
    await response.body?.cancel();
    throw new AgentResponseError(origin, `the type ${type.slice(0, 60) || "missing"} instead of a stream`, {
      status: response.status,
    });
  }
  const body = await readAnswer(response, origin, decodeError);
  if (!decodeError(body)) observer.notStreamed(origin);
  yield { data: JSON.stringify(body) };
}
