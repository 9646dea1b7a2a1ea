import { createServer, type RequestListener, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Cidr } from "@parley/a2a";
import { noteClientAddress } from "./client-address.ts";
import { type ErrorAnswer, errorBody } from "./error-answer.ts";
import { foreignRequest, type RequestChecks } from "./foreign-request.ts";
import { canonicalTarget } from "./request-target.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";
import { sharedWith } from "./shared-with.ts";

/** How long a request may take to arrive, and how many connections may be open. */
export interface ConnectionLimits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Further connections are closed at once. */
  readonly connections: number;
}

/** An answer in the words of the protocol that is spoken at an address. */
export interface OwnWords {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface GuardOptions extends Partial<ConnectionLimits>, RequestChecks {
  /** Proxies whose word about their client's address (`X-Forwarded-For`) is taken. */
  readonly trustedProxies?: readonly Cidr[];
  /** How what is refused is told at an address, where that has words of its own. */
  readonly wordsAt?: (url: string, refused: ErrorAnswer) => OwnWords | undefined;
}

const DEFAULTS: ConnectionLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  connections: 10_000,
};
/** What every answer carries, unless its route says something else. */
const { "Cache-Control": _, ...ALWAYS } = SECURITY_HEADERS;
const UNEXPECTED: ErrorAnswer = {
  status: 417,
  code: "expectation_failed",
  message: "Only Expect: 100-continue is known",
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
  const { headersTimeoutMs, requestTimeoutMs, connections } = { ...DEFAULTS, ...options };
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // Node looks at the two above only so often.
    connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs / 4),
    // A request without a Host is refused by us, with a reason, like any other.
    requireHostHeader: false,
  });
  server.maxConnections = connections;
  /** Connections on which an answer is being written: whatever else goes wrong there, no second one may follow. */
  const answering = new WeakSet<Duplex>();
  const guard: RequestListener = (request, response) => {
    answering.add(request.socket);
    response.on("finish", () => answering.delete(request.socket));
    const refused = foreignRequest(request, options);
    if (refused) return send(response, refused, options.wordsAt?.(request.url ?? "", refused));
    request.url = canonicalTarget(request.url ?? "") ?? "/";
    noteClientAddress(request, options.trustedProxies);
    for (const [name, value] of Object.entries(ALWAYS)) response.setHeader(name, value);
    if (!sharedWith(options.origins, request, response)) routes(request, response);
  };
  server.on("request", guard);
  server.on("checkContinue", (request, response) => {
    if (!foreignRequest(request, options)) response.writeContinue();
    guard(request, response);
  });
  server.on("checkExpectation", (_request, response) => send(response, UNEXPECTED));
  server.on("connect", (_request, socket) => socket.end(asText(MALFORMED)));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || answering.has(socket)) socket.destroy();
    else socket.end(asText(BROKEN_REQUESTS[error.code ?? ""] ?? MALFORMED));
  });
  return server;
}

function send(response: Parameters<RequestListener>[1], answer: ErrorAnswer, words?: OwnWords): void {
  const { headers, body } = parts(answer, words);
  response.writeHead(answer.status, headers).end(body);
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
