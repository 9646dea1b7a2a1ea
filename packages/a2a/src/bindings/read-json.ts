import type { IncomingMessage } from "node:http";
import { A2AError } from "../protocol/errors.ts";
import { HttpError } from "./http-error.ts";
import { isDeeperThan } from "./json-depth.ts";

export const MAX_BODY_BYTES = 1_048_576;
export const MAX_DEPTH = 64;

/** The body was larger than any request may be; the rest of it is thrown away. */
export class BodyTooLargeError extends HttpError {
  constructor() {
    const answer = { status: 413, rpcStatus: "INVALID_ARGUMENT" } as const;
    super("InvalidRequest", `The body is larger than ${MAX_BODY_BYTES} bytes`, answer);
  }
}

/** Reads a request's body as JSON, within the limits; throws an `A2AError` that says what is wrong with it. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  return parseJson(await readText(request));
}

/** Like `readJson`, for requests that may have no body: undefined then. */
export async function readOptionalJson(request: IncomingMessage): Promise<unknown> {
  const text = await readText(request);
  return text === "" ? undefined : parseJson(text);
}

function parseJson(text: string): unknown {
  if (isDeeperThan(MAX_DEPTH, text)) {
    throw new A2AError("InvalidRequest", `The body is nested deeper than ${MAX_DEPTH} levels`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new A2AError("ParseError", "The body is not JSON");
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > MAX_BODY_BYTES) throw new BodyTooLargeError();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) break;
      chunks.push(chunk);
    }
  } catch {
    // Only a caller that hangs up ends it so; it is not there to hear of it, and it is no error of ours.
    throw new A2AError("InvalidRequest", "The body ended before it was whole");
  }
  if (size > MAX_BODY_BYTES) {
    // A body left half read would block the next request on its connection; only after the loop can it flow.
    request.resume();
    throw new BodyTooLargeError();
  }
  const body = Buffer.concat(chunks);
  const text = body.toString("utf8");
  // A character that was not UTF-8 has become U+FFFD: what came was not JSON.
  if (text.includes("\ufffd") && !Buffer.from(text).equals(body)) {
    throw new A2AError("ParseError", "The body is not UTF-8");
  }
  return text;
}
