import { type ApiClient, type DomainEvent, emptyRecord, evolveRecord, systemClock } from "@parley/client";
import { EXIT, type ExitCode } from "../../command-error.ts";
import { untilInterrupted } from "../../terminal/interruption.ts";
import { painterFor } from "../../terminal/painter.ts";
import { visibleJson } from "../../terminal/plain-text.ts";
import { coalesced } from "../scheduled.ts";
import { recordedConversation, sessionBlocks } from "../view/session-blocks.ts";
import { Transcript } from "../view/transcript.ts";
import { readEvents } from "./followed-events.ts";

/** What is replayed, and how. */
export interface ReplayOptions {
  readonly client: ApiClient;
  readonly sessionId: string;
  /** The speed factor; infinite for no pauses. */
  readonly speed: number;
  /** The index of the last event. */
  readonly until?: number | undefined;
  readonly isJson: boolean;
}

/** Longer pauses are cut. */
const MAX_PAUSE_MS = 2_000;

/** Shows a session as it happened, as a chat would have shown it. */
export async function replay(options: ReplayOptions): Promise<ExitCode> {
  const { client, sessionId, speed, until = Number.POSITIVE_INFINITY, isJson } = options;
  using interrupted = untilInterrupted();
  const { signal } = interrupted;
  const painter = painterFor(process.stdout);
  const transcript = new Transcript();
  let record = emptyRecord(sessionId);
  let at = 0;
  const shown = () => {
    const blocks = sessionBlocks(recordedConversation(record), at, (key) => transcript.isShown(key));
    return transcript.advance(blocks, painter.width);
  };
  const frame = coalesced(() => painter.paint(shown()));
  try {
    for await (const event of readEvents(client, sessionId, { signal })) {
      if (event.index > until) break;
      await pause(event, at, speed, signal);
      if (signal.aborted) break;
      at = Math.max(at, Date.parse(event.timestamp));
      if (isJson) process.stdout.write(`${visibleJson(event)}\n`);
      record = evolveRecord(record, event);
      if (!isJson && speed !== Number.POSITIVE_INFINITY) frame.soon();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    frame.stop();
    if (!isJson) {
      const { settled, live } = shown();
      painter.paint({ settled: [...settled, ...live], live: [] });
      painter.end();
    }
  }
  return signal.aborted ? EXIT.interrupted : EXIT.done;
}

/** Waits as long as it took until this event; clocks of nodes may differ, so the pause is never negative. */
async function pause(
  { timestamp }: DomainEvent,
  before: number,
  speed: number,
  signal: AbortSignal,
): Promise<void> {
  if (before === 0 || speed === Number.POSITIVE_INFINITY) return;
  const milliseconds = Math.min(Math.max(0, Date.parse(timestamp) - before), MAX_PAUSE_MS) / speed;
  if (milliseconds >= 1) await systemClock.sleep(milliseconds, signal);
}
