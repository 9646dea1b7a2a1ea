import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Cidr } from "@parley/a2a";
import { type ErrorAnswer, errorBody, SECURITY_HEADERS } from "./answer-parts.ts";
import { noteClientAddress } from "./client-address.ts";
import { type ConnectionCounts, Connections, vouchFor } from "./connections.ts";
import { foreignRequest, type RequestChecks } from "./foreign-request.ts";
import { canonicalTarget } from "./request-target.ts";
import { sharedWith } from "./shared-with.ts";

/** How long a request may take to arrive and an answer to be taken, and how many connections may be open. */
interface ConnectionLimits extends ConnectionCounts {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** A caller that reads nothing of its answer for this long is disconnected. */
  readonly stalledMs: number;
}

/** An answer in the words of the protocol that is spoken at an address. */
interface OwnWords {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface GuardOptions extends Partial<ConnectionLimits>, RequestChecks {
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly Cidr[];
  /** The path below which clients reach it; a proxy may strip it or leave it in place. */
  readonly basePath?: string;
  /** Clients reach it by HTTPS, so browsers are told to use nothing else (HSTS). */
  readonly isHttps?: boolean;
  /** Callers must authenticate; the routes call `vouchFor` for those who did. */
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
/** So many requests of a connection wait for the answers to those before them. */
const MAX_PIPELINED = 100;
/** How long a refused caller has to read why. */
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
    // A route may take as long as it needs; a caller that does not read may not.
    if (!connections.isAnswering(socket) || socket.writableLength > 0) socket.destroy();
  });
  const inTurn = new Pipelines();
  const guard = (request: IncomingMessage, response: ServerResponse, isContinued = false): void => {
    request.url = targetBelow(options.basePath ?? "", request.url ?? "");
    noteClientAddress(request, options.trustedProxies);
    if (options.isHttps) response.setHeader("Strict-Transport-Security", "max-age=31536000");
    if (!connections.answer(request, response)) return void send(response, BUSY);
    const refused = foreignRequest(request, options);
    if (refused) return void send(response, refused, options.wordsAt?.(request.url ?? "", refused));
    if (isContinued) response.writeContinue();
    if (!options.asksWho) vouchFor(request, response);
    for (const [name, value] of Object.entries(ALWAYS)) response.setHeader(name, value);
    if (!sharedWith(options.origins, request, response)) routes(request, response);
  };
  server.on("request", (request, response) => inTurn.serve(response, () => guard(request, response)));
  server.on("checkContinue", (request, response) =>
    inTurn.serve(response, () => guard(request, response, true)),
  );
  server.on("checkExpectation", (_request, response) => send(response, UNEXPECTED));
  server.on("connect", (_request, socket) => endWith(socket, MALFORMED));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // Where an answer is being written, no second one may follow.
    if (!socket.writable || connections.isAnswering(socket as Socket)) socket.destroy();
    else endWith(socket, BROKEN_REQUESTS[error.code ?? ""] ?? MALFORMED);
  });
  return server;
}

/** Serves the requests of a connection one after the other: what waits behind an open answer is not even looked at. */
class Pipelines {
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();

  serve(response: ServerResponse, serve: () => void): void {
    const { socket } = response.req;
    const waiting = this.#waiting.get(socket);
    const begin = () => {
      if (socket.destroyed) return;
      response.once("close", () => {
        const next = this.#waiting.get(socket)?.shift();
        if (next) next();
        else this.#waiting.delete(socket);
      });
      serve();
    };
    if (waiting && waiting.push(begin) > MAX_PIPELINED) socket.destroy();
    if (waiting) return;
    this.#waiting.set(socket, []);
    begin();
  }
}

/** The target without the base path, where a proxy has left that in it. */
function targetBelow(basePath: string, url: string): string {
  const target = canonicalTarget(url) ?? url;
  const [path = ""] = target.split("?", 1);
  if (basePath === "" || !`${path}/`.startsWith(`${basePath}/`)) return target;
  return target.slice(basePath.length).replace(/^(?!\/)/, "/");
}

function send(response: ServerResponse, answer: ErrorAnswer, words?: OwnWords): void {
  const { headers, body } = parts(answer, words);
  response.writeHead(answer.status, headers).end(body);
}

/** Answers a connection that has no request, and closes it after a moment. */
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
