import type { IncomingMessage } from "node:http";
import { EgressConnectionError, ResponseTooLargeError } from "./egress-errors.ts";
import type { ExchangeLife } from "./exchange-life.ts";

export interface BodyContext {
  readonly origin: string;
  readonly life: ExchangeLife;
  readonly limits: { readonly idle: number; readonly responseBytes: number };
}

/** The body as it comes, read no faster than it is taken, and cut at the limits of time and size. */
export function limitedBody(incoming: IncomingMessage, context: BodyContext): ReadableStream<Uint8Array> {
  const { life, limits, origin } = context;
  const pieces = incoming[Symbol.asyncIterator]();
  let bytes = 0;
  // A reader that walks away without a word must not keep the timers, and with them the caller's signal.
  incoming.once("close", () => life.end());
  // Ends the wait for a piece too: one listener for all of them, and no race for each.
  life.signal.addEventListener("abort", () => incoming.destroy(), { once: true });
  const fail = (reason: unknown): never => {
    incoming.destroy();
    life.end();
    throw reason;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // The clock runs only while we wait for the other side, not while our reader thinks.
        const arrived = life.limit("the next piece of the answer", limits.idle);
        const piece = await pieces
          .next()
          .catch((error: unknown) =>
            fail(life.signal.aborted ? life.signal.reason : new EgressConnectionError(origin, error)),
          );
        arrived();
        if (life.signal.aborted) fail(life.signal.reason);
        if (piece.done) {
          life.end();
          controller.close();
          return;
        }
        const chunk: Uint8Array = piece.value;
        bytes += chunk.byteLength;
        if (bytes > limits.responseBytes) fail(new ResponseTooLargeError(origin, limits.responseBytes));
        controller.enqueue(new Uint8Array(chunk));
      },
      cancel() {
        life.end();
        incoming.destroy();
      },
    },
    // Nothing is read ahead: what the reader has not asked for stays in the sender's window.
    { highWaterMark: 0 },
  );
}
