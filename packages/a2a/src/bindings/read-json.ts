import type { IncomingMessage } from "node:http";
import { A2AError } from "../protocol/errors.ts";
import type { CallerIdentity } from "../tasks/caller.ts";
import { BodyTooLargeError, TooManyCallsError } from "./http-error.ts";
import { type JsonExcess, JsonScan, MAX_BODY_BYTES } from "./json-limits.ts";

/** Counts the bytes that each caller is sending. */
export class IncomingBodies {
  readonly #maxBytes: number;
  readonly #bytes = new Map<string, number>();

  constructor(maxBytes = 64 * 1_048_576) {
    this.#maxBytes = maxBytes;
  }

  /** Counts one body of a caller until it is disposed of; `add` throws `TooManyCallsError` beyond the limit. */
  of(caller: string): Disposable & { readonly add: (bytes: number) => void } {
    let own = 0;
    const count = (bytes: number) => {
      own += bytes;
      const all = (this.#bytes.get(caller) ?? 0) + bytes;
      if (all > 0) this.#bytes.set(caller, all);
      else this.#bytes.delete(caller);
      return all;
    };
    return {
      add: (bytes) => {
        if (count(bytes) > this.#maxBytes)
          throw new TooManyCallsError(
            `You are sending more than ${this.#maxBytes} bytes at once; wait for earlier requests`,
            1,
          );
      },
      [Symbol.dispose]: () => void count(-own),
    };
  }
}

/** The bodies of this process. */
export const incomingBodies = new IncomingBodies();

/** A body that is larger, or took longer to arrive, waits for its own event-loop turn before it is parsed. */
const LARGE_BODY_BYTES = 65_536;
const LATE_BODY_MS = 50;

/** Whether a body of this size, awaited since then, needs its own event-loop turn. */
export function needsTurn(bytes: number, since: number): boolean {
  return bytes > LARGE_BODY_BYTES || performance.now() - since > LATE_BODY_MS;
}

type Reader = Pick<CallerIdentity, "owner" | "bodyTurn">;

/** Reads a caller's body as JSON, within the limits; throws an `A2AError` if it is invalid. */
export async function readJson(request: IncomingMessage, reader: Reader): Promise<unknown> {
  return parseJson(await readText(request, reader));
}

/** Like `readJson`, for requests that may have no body: undefined then. */
export async function readOptionalJson(request: IncomingMessage, reader: Reader): Promise<unknown> {
  const text = await readText(request, reader);
  return text === "" ? undefined : parseJson(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new A2AError("ParseError", "The body is not JSON");
  }
}

async function readText(request: IncomingMessage, { owner, bodyTurn }: Reader): Promise<string> {
  const began = performance.now();
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > MAX_BODY_BYTES) throw new BodyTooLargeError();
  const chunks: Buffer[] = [];
  let size = 0;
  const scan = new JsonScan();
  let excess: JsonExcess | undefined;
  using incoming = incomingBodies.of(owner);
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      excess = scan.next(chunk);
      if (size > MAX_BODY_BYTES || excess) break;
      incoming.add(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    request.resume();
    if (error instanceof TooManyCallsError) throw error;
    // The caller hung up: it cannot receive this, and it is not our error.
    throw new A2AError("InvalidRequest", "The body ended before it was whole");
  }
  if (size > MAX_BODY_BYTES || excess) {
    // A body left half read would block the next request on its connection; only after the loop can it flow.
    request.resume();
    throw excess ? new A2AError("InvalidRequest", excess.message) : new BodyTooLargeError();
  }
  if (needsTurn(size, began)) await bodyTurn?.();
  const body = Buffer.concat(chunks);
  const text = body.toString("utf8");
  // A character that was not UTF-8 has become U+FFFD: what came was not JSON.
  if (text.includes("\ufffd") && !Buffer.from(text).equals(body)) {
    throw new A2AError("ParseError", "The body is not UTF-8");
  }
  return text;
}
