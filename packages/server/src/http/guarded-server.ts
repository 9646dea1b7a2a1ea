import { createServer, type RequestListener, type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Cidr } from "@parley/a2a";
import { noteClientAddress } from "./client-address.ts";
import { type ConnectionCounts, Connections, vouchFor } from "./connections.ts";
import { type ErrorAnswer, errorBody } from "./error-answer.ts";
import { foreignRequest, type RequestChecks } from "./foreign-request.ts";
import { canonicalTarget } from "./request-target.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";
import { sharedWith } from "./shared-with.ts";

/** How long a request may take to arrive and an answer to be taken, and how many connections may be open. */
export interface ConnectionLimits extends ConnectionCounts {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** A caller that takes nothing of its answer for so long is cut. */
  readonly stalledMs: number;
}

/** An answer in the words of the protocol that is spoken at an address. */
export interface OwnWords {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface GuardOptions extends Partial<ConnectionLimits>, RequestChecks {
  /** Proxies whose word about their client's address (`X-Forwarded-For`) is taken. */
  readonly trustedProxies?: readonly Cidr[];
  /** The path below which people see it; proxies may leave it in what they pass on, or take it away. */
  readonly basePath?: string;
  /** People reach it by https: their browsers are told to use nothing else. */
  readonly isHttps?: boolean;
  /** Whoever comes has to show who they are, and the routes vouch for those who did (`vouchFor`). */
  readonly asksWho?: boolean;
  /** How what is refused is told at an address, where that has words of its own. */
  readonly wordsAt?: (url: string, refused: ErrorAnswer) => OwnWords | undefined;
}

const DEFAULTS: ConnectionLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  stalledMs: 120_000,
  connections: 10_000,
  guestsPerAddress: 1_000,
};
/** So long a caller that was refused may take to read why. */
const LINGER_MS = 1_000;
/** What every answer carries, unless its route says something else. */
const { "Cache-Control": _, ...ALWAYS } = SECURITY_HEADERS;
const UNEXPECTED: ErrorAnswer = {
  status: 417,
  code: "expectation_failed",
  message: "Only Expect: 100-continue is known",
};
const BUSY: ErrorAnswer = {
  status: 503,
  code: "too_many_connections",
  message: "There are too many connections: try again in a moment",
};
const MALFORMED: ErrorAnswer = {
  status: 400,
  code: "malformed_request",
  message: "This is not a request that we serve",
};

/** What Node calls the ways in which a request can fail before we see it. */
const BROKEN_REQUESTS: Readonly<Record<string, ErrorAnswer>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: "request_timeout",
    message: "The request took too long to arrive",
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: "headers_too_large",
    message: "The request's headers are too large",
  },
};

/** An HTTP server that lets no foreign request through to its routes and answers every error as JSON; all ports are such. */
export function guardedServer(routes: RequestListener, options: GuardOptions = {}): Server {
  const limits = { ...DEFAULTS, ...options };
  const { headersTimeoutMs, requestTimeoutMs } = limits;
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // Node looks at the two above only so often.
    connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs / 4),
    // A request without a Host is refused by us, with a reason, like any other.
    requireHostHeader: false,
  });
  const connections = new Connections(limits, options.trustedProxies);
  server.on("connection", (socket) => connections.add(socket));
  server.setTimeout(limits.stalledMs, (socket: Socket) => {
    // What takes long to answer may take long.
    if (!connections.isAnswering(socket) || socket.writableLength > 0) socket.destroy();
  });
  const { basePath = "" } = options;
  /** Whoever is asked below a path of its own, by a proxy that leaves it there, is asked as at the root. */
  const atRoot = (url = ""): string => {
    const target = canonicalTarget(url) ?? url;
    return basePath !== "" && `${target.split("?", 1)}/`.startsWith(`${basePath}/`)
      ? target.slice(basePath.length).replace(/^(?!\/)/, "/")
      : target;
  };
  const guard: RequestListener = (request, response) => {
    request.url = atRoot(request.url);
    noteClientAddress(request, options.trustedProxies);
    if (options.isHttps) response.setHeader("Strict-Transport-Security", "max-age=31536000");
    if (!connections.answer(request, response)) return send(response, BUSY);
    const refused = foreignRequest(request, options);
    if (refused) return send(response, refused, options.wordsAt?.(request.url ?? "", refused));
    if (!options.asksWho) vouchFor(request, response);
    for (const [name, value] of Object.entries(ALWAYS)) response.setHeader(name, value);
    if (!sharedWith(options.origins, request, response)) routes(request, response);
  };
  server.on("request", guard);
  server.on("checkContinue", (request, response) => {
    request.url = atRoot(request.url);
    if (!foreignRequest(request, options)) response.writeContinue();
    guard(request, response);
  });
  server.on("checkExpectation", (_request, response) => send(response, UNEXPECTED));
  server.on("connect", (_request, socket) => endWith(socket, MALFORMED));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // Where an answer is being written, no second one may follow.
    if (!socket.writable || connections.isAnswering(socket as Socket)) socket.destroy();
    else endWith(socket, BROKEN_REQUESTS[error.code ?? ""] ?? MALFORMED);
  });
  return server;
}

function send(response: Parameters<RequestListener>[1], answer: ErrorAnswer, words?: OwnWords): void {
  const { headers, body } = parts(answer, words);
  response.writeHead(answer.status, headers).end(body);
}

/** Answers where no request came; the caller has a moment to read it, and none to keep the connection. */
function endWith(socket: Duplex, answer: ErrorAnswer): void {
  socket.end(asText(answer));
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function asText(answer: ErrorAnswer): string {
  const { headers, body } = parts(answer);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`, ...lines, "", body].join("\r\n");
}

function parts(
  answer: ErrorAnswer,
  words?: OwnWords,
): { headers: Record<string, string | number>; body: string } {
  const body = words?.body ?? JSON.stringify(errorBody(answer));
  const headers = {
    ...SECURITY_HEADERS,
    "Content-Type": "application/json",
    ...words?.headers,
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  };
  return { headers, body };
}
