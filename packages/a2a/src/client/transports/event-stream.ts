import { createParser } from "eventsource-parser";
import { AgentResponseError } from "../client-errors.ts";
import { agentFailure } from "./http-exchange.ts";

export interface ServerSentEvent {
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly data: string;
}

/** Yields events as they arrive; an incomplete last event is dropped. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { origin, eventCharacters }: { readonly origin: string; readonly eventCharacters: number },
): AsyncGenerator<ServerSentEvent, void, void> {
  const waiting: ServerSentEvent[] = [];
  let tooLarge = false;
  const parser = createParser({
    maxBufferSize: eventCharacters,
    onEvent: (event) => waiting.push(event),
    onError: ({ type }) => {
      tooLarge ||= type === "max-buffer-size-exceeded";
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      for (const event of waiting.splice(0)) yield event;
      if (tooLarge) {
        throw new AgentResponseError(origin, `an event of more than ${eventCharacters} characters`);
      }
    }
  } catch (error) {
    throw agentFailure(origin, error);
  } finally {
    // Cancelling an errored body throws its error again, which has already been reported.
    await reader.cancel().catch(() => undefined);
  }
}
