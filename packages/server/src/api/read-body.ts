import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { incomingBodies, JsonScan, MAX_BODY_BYTES, needsTurn } from "@parley/a2a";
import { Problem } from "@parley/adapters";
import { checkNotEnded } from "@parley/identity";
import type { MiddlewareHandler } from "hono";
import { isOfJson, needsJson } from "../http/foreign-request.ts";
import { type LoopShares, loopShareOf } from "../quotas/loop-shares.ts";
import type { ApiEnvironment } from "./api-options.ts";
import { callerName } from "./request-rates.ts";

/** The pieces of a body as they come; the rest of a body that is too large is discarded. */
export async function* bodyPieces(request: IncomingMessage, most: number): AsyncGenerator<Buffer, void> {
  const tooLarge = () => new Problem("too_large", `The body may have at most ${most} bytes`);
  try {
    if (Number(request.headers["content-length"] ?? 0) > most) throw tooLarge();
    let size = 0;
    const pieces = request.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await pieces.next().catch(() => {
        // Happens only when the caller disconnects.
        throw new Problem("malformed_request", "The body is incomplete");
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

type Turns = Pick<LoopShares, "enterBody">;

interface BodyReading {
  readonly most: number;
  readonly caller: string;
  /** Awaited when the whole body has arrived. */
  arrived(bytes: number): Promise<void>;
}

/** Reads JSON with limits on size, depth and number of values, and on the memory of all bodies from one caller. */
async function readBody(request: IncomingMessage, { most, caller, arrived }: BodyReading): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  const scan = new JsonScan();
  using coming = incomingBodies.of(caller);
  for await (const piece of bodyPieces(request, most)) {
    const excess = scan.next(piece);
    if (excess) throw new Problem(excess.of === "values" ? "too_large" : "malformed_request", excess.message);
    size += piece.length;
    coming.add(piece.length);
    pieces.push(piece);
  }
  await arrived(size);
  return Buffer.concat(pieces);
}

/** Reads the JSON body of a command and refuses what is too large or too deep before a recursive parser sees it. */
export function limitedJson(
  turns: Turns | undefined,
  most = MAX_BODY_BYTES,
): MiddlewareHandler<ApiEnvironment> {
  return async (context, next) => {
    const { incoming } = context.env;
    const { identity, principal } = context.var;
    if (!isOfJson(incoming)) {
      incoming.resume();
      throw new Problem("content_type_not_supported", needsJson(incoming));
    }
    using turn = new DisposableStack();
    const began = performance.now();
    const body = await readBody(incoming, {
      most: identity.role === "viewer" ? Math.min(most, MAX_BODY_BYTES) : most,
      caller: callerName(principal),
      async arrived(bytes) {
        if (turns && needsTurn(bytes, began)) turn.use(await turns.enterBody(loopShareOf(identity)));
      },
    });
    checkNotEnded(identity);
    if (!isUtf8(body)) throw new Problem("malformed_request", "The body is not UTF-8");
    const { url, method, headers } = context.req.raw;
    context.req.raw = new Request(url, { method, headers, ...(body.length > 0 && { body }) });
    await next();
  };
}
