import type { RecordedEvent } from "@parley/journal";
import type { EventEncoder } from "../dialects/dialect.ts";
import type { StreamResponse } from "../protocol/model.ts";
import { sseFrame } from "./sse-response.ts";

/** The text around each result of a stream; REST has none. */
export interface Envelope {
  readonly before: string;
  readonly after: string;
}

/**
 * A batch of events as one text of frames. The index travels with the last frame of each event, so that whoever
 * resumes after it has seen the event whole.
 */
export function eventFrames(
  events: readonly RecordedEvent<StreamResponse>[],
  encode: EventEncoder,
  { before, after }: Envelope,
): string {
  let frames = "";
  for (const event of events) {
    const results = encode(event);
    for (let n = 0; n < results.length; n++) {
      frames += sseFrame(n === results.length - 1 ? event.index : undefined, before + results[n] + after);
    }
  }
  return frames;
}
