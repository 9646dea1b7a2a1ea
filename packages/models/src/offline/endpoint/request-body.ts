import type { IncomingMessage } from "node:http";
import { JsonScan, MAX_BODY_BYTES } from "@parley/a2a";

/** A request that cannot be answered, with the status and the code that its answer has. */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Reads a body of JSON within the limits of any other. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  // A page of another origin can send anything but JSON without asking first.
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
    throw new RequestError(415, "unsupported_media_type", "Send JSON, with Content-Type: application/json");
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) break;
    chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) {
    // A body left half read would block the next request on its connection.
    request.resume();
    throw new RequestError(413, "body_too_large", `The body is larger than ${MAX_BODY_BYTES} bytes`);
  }
  const body = Buffer.concat(chunks);
  const excess = new JsonScan().next(body);
  if (excess) throw new RequestError(400, "invalid_json", excess.message);
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new RequestError(400, "invalid_json", "The body is not JSON");
  }
}
