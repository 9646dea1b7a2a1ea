import { type IncomingMessage, request as sendRequest } from "node:http";
import type { Socket } from "node:net";
import { EgressConnectionError, EgressError, ResponseTooLargeError } from "./egress-errors.ts";
import { defaultLimits, type EgressLimits, type EgressPolicy } from "./egress-policy.ts";
import { type EgressTarget, resolveTarget } from "./egress-target.ts";
import { ExchangeLife } from "./exchange-life.ts";
import { connectPinned } from "./pinned-connection.ts";

/** The caller cannot set these: they belong to the connection, and `host` to the name that was checked. */
const connectionHeaders = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Responses that have no body, whatever the other side sends. */
const bodilessStatus = new Set([204, 205, 304]);

/** `fetch` for untrusted URLs: checked, pinned to the checked address, bounded, without redirects or a proxy. */
export async function guardedFetch(
  input: string | URL,
  init: RequestInit,
  policy: EgressPolicy,
): Promise<Response> {
  const limits = { ...defaultLimits, ...policy.limits };
  const life = new ExchangeLife(URL.parse(String(input))?.origin ?? "The target", init.signal ?? undefined);
  try {
    life.limit("the exchange", limits.total);
    const connected = life.limit("connecting", limits.connect);
    const target = await life.race(resolveTarget(input, policy));
    const message = await life.race(outgoing(target, init));
    const { certificateAuthorities } = policy;
    const socket = await connectPinned(target, { signal: life.signal, certificateAuthorities });
    connected();
    const answered = life.limit("the answer", limits.headers);
    const incoming = await exchange(target, { socket, message, signal: life.signal });
    answered();
    return toResponse(incoming, { origin: target.url.origin, method: message.method, life, limits });
  } catch (error) {
    life.end();
    throw error;
  }
}

/** A guarded `fetch` for libraries that take one. */
export function fetchWith(
  policy: EgressPolicy,
): (input: string | URL, init?: RequestInit) => Promise<Response> {
  return (input, init) => guardedFetch(input, init ?? {}, policy);
}

interface OutgoingMessage {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

async function outgoing(target: EgressTarget, init: RequestInit): Promise<OutgoingMessage> {
  // The platform's own class reads every kind of body and refuses bad methods and headers.
  const request = new Request(target.url, { ...init, signal: null });
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
  const own = [...request.headers].filter(([name]) => !connectionHeaders.has(name));
  const length = body === undefined ? {} : { "content-length": String(body.byteLength) };
  const headers = {
    "accept-encoding": "identity",
    ...Object.fromEntries(own),
    ...length,
    host: target.url.host,
  };
  return { method: request.method, headers, body };
}

interface Exchange {
  readonly socket: Socket;
  readonly message: OutgoingMessage;
  readonly signal: AbortSignal;
}

function exchange(target: EgressTarget, { socket, message, signal }: Exchange): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = sendRequest({
    createConnection: () => socket,
    method: message.method,
    path: `${target.url.pathname}${target.url.search}`,
    headers: message.headers,
  });
  signal.addEventListener("abort", () => request.destroy(), { once: true });
  request.once("response", resolve);
  request.on("error", (error) => {
    reject(signal.aborted ? signal.reason : new EgressConnectionError(target.url.origin, error));
  });
  request.end(message.body);
  return promise;
}

interface ResponseContext {
  readonly origin: string;
  readonly method: string;
  readonly life: ExchangeLife;
  readonly limits: EgressLimits;
}

function toResponse(incoming: IncomingMessage, context: ResponseContext): Response {
  const status = incoming.statusCode ?? 0;
  const headers = new Headers();
  for (let index = 0; index + 1 < incoming.rawHeaders.length; index += 2) {
    headers.append(incoming.rawHeaders[index] ?? "", incoming.rawHeaders[index + 1] ?? "");
  }
  try {
    // Not left to `Response`, which the HTTP server of a process replaces by one that takes any number.
    if (status < 200 || status > 599) throw new RangeError(`${status} is no status of an answer`);
    if (Number(headers.get("content-length") ?? 0) > context.limits.responseBytes) {
      throw new ResponseTooLargeError(context.origin, context.limits.responseBytes);
    }
    if (context.method !== "HEAD" && !bodilessStatus.has(status)) {
      return new Response(limitedBody(incoming, context), { status, headers });
    }
    incoming.destroy();
    context.life.end();
    return new Response(null, { status, headers });
  } catch (error) {
    incoming.destroy();
    throw error instanceof EgressError ? error : new EgressConnectionError(context.origin, error);
  }
}

interface BodyContext {
  readonly origin: string;
  readonly life: ExchangeLife;
  readonly limits: { readonly idle: number; readonly responseBytes: number };
}

/** The body as it comes, read no faster than it is taken, and cut at the limits of time and size. */
function limitedBody(incoming: IncomingMessage, context: BodyContext): ReadableStream<Uint8Array> {
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
