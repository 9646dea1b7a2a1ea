import { once } from "node:events";
import type { ServerResponse } from "node:http";

const HEARTBEAT_MS = 15_000;
/** A reader that takes nothing for so long is given up; it can come back by its cursor. */
const STALLED_MS = 60_000;

/** The streams that are open: one clock keeps them all so. */
const beating = new Set<ServerResponse>();
let heartbeat: NodeJS.Timeout | undefined;

/** How many event streams are open in this process. */
export function openEventStreams(): number {
  return beating.size;
}

function beat(): void {
  for (const response of beating) response.write(":\n\n");
  if (beating.size > 0) return;
  clearInterval(heartbeat);
  heartbeat = undefined;
}

/** A frame's fields besides its data. */
export interface SseFrameOptions {
  readonly event?: string | undefined;
  readonly id?: string | number | undefined;
}

/** Formats one frame of an event stream; each line of `data` gets a field of its own. */
export function sseFrame(data: string, options?: SseFrameOptions): string {
  const lines = /[\r\n]/.test(data) ? data.split(/\r\n|\r|\n/).join("\ndata: ") : data;
  if (options === undefined) return `data: ${lines}\n\n`;
  const event = options.event === undefined ? "" : `event: ${options.event}\n`;
  const id = options.id === undefined ? "" : `id: ${options.id}\n`;
  return `${event}${id}data: ${lines}\n\n`;
}

/** The frame that ends a stream in the protocols that follow OpenAI's. */
export const SSE_DONE = sseFrame("[DONE]");

/** Aborted when the connection closes; asynchronously if it already has, so that listeners still fire. */
export function closeSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  whenClosed(response, () => controller.abort());
  return controller.signal;
}

// A response that was destroyed earlier emits no further "close".
function whenClosed(response: ServerResponse, close: () => void): void {
  if (response.destroyed) queueMicrotask(close);
  else response.on("close", close);
}

/** What an event stream sends with its status, and how long it waits for its reader. */
export interface SseResponseOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly stalledMs?: number;
}

/** An event stream on a Node response; writes wait for a slow reader, and comments keep a silent one open. */
export class SseResponse {
  readonly #response: ServerResponse;
  readonly #closing = new AbortController();
  readonly #stalledMs: number;

  constructor(response: ServerResponse, { headers = {}, stalledMs = STALLED_MS }: SseResponseOptions = {}) {
    this.#response = response;
    this.#stalledMs = stalledMs;
    response.writeHead(200, {
      ...headers,
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-cache",
      "X-Accel-Buffering": "no",
    });
    response.flushHeaders();
    beating.add(response);
    whenClosed(response, () => this.#close());
    heartbeat ??= setInterval(beat, HEARTBEAT_MS).unref();
  }

  /** Aborted when it has ended, or its reader is gone. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Writes frames and resolves when the reader can take more, or is gone. */
  async write(frames: string): Promise<void> {
    if (this.closed.aborted || this.#response.write(frames)) return;
    const timeout = AbortSignal.timeout(this.#stalledMs);
    try {
      await once(this.#response, "drain", { signal: AbortSignal.any([this.closed, timeout]) });
    } catch {
      if (timeout.aborted) this.#response.destroy();
    }
  }

  end(): void {
    if (this.closed.aborted) return;
    this.#response.end();
    this.#close();
  }

  #close(): void {
    beating.delete(this.#response);
    this.#closing.abort();
  }
}
