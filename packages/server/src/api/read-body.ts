import type { IncomingMessage } from "node:http";
import { isDeeperThan, MAX_BODY_BYTES, MAX_DEPTH } from "@parley/a2a";
import type { MiddlewareHandler } from "hono";
import { checkNotEnded } from "../access/check-role.ts";
import { isOfJson, needsJson } from "../http/foreign-request.ts";
import type { ApiEnvironment } from "./api-options.ts";
import { Problem } from "./problem.ts";

/** A body of at most so many bytes, as it comes; the rest of one that is larger is thrown away. */
export async function* bodyPieces(request: IncomingMessage, most: number): AsyncGenerator<Buffer, void> {
  const tooLarge = () => new Problem("too_large", `The body may have up to ${most} bytes`);
  try {
    if (Number(request.headers["content-length"] ?? 0) > most) throw tooLarge();
    let size = 0;
    const pieces = request.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await pieces.next().catch(() => {
        // Only a caller that hangs up ends it so.
        throw new Problem("malformed_request", "The body ended before it was whole");
      });
      if (done) return;
      size += value.length;
      if (size > most) throw tooLarge();
      yield value;
    }
  } finally {
    request.resume();
  }
}

/** Reads a body of at most so many bytes. */
export async function readBody(request: IncomingMessage, most: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of bodyPieces(request, most)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Reads the JSON of commands before anything recursive meets it: not too large, not too deep, and UTF-8. */
export function limitedJson(most = MAX_BODY_BYTES): MiddlewareHandler<ApiEnvironment> {
  return async (context, next) => {
    const { incoming } = context.env;
    if (!isOfJson(incoming)) {
      incoming.resume();
      throw new Problem("content_type_not_supported", needsJson(incoming));
    }
    const body = await readBody(incoming, most);
    checkNotEnded(context.var.identity);
    const text = body.toString("utf8");
    if (isDeeperThan(MAX_DEPTH, text))
      throw new Problem("malformed_request", `The body is nested deeper than ${MAX_DEPTH} levels`);
    if (text.includes("\ufffd") && !Buffer.from(text).equals(body))
      throw new Problem("malformed_request", "The body is not UTF-8");
    const { url, method, headers } = context.req.raw;
    context.req.raw = new Request(url, { method, headers, ...(text !== "" && { body: text }) });
    await next();
  };
}
