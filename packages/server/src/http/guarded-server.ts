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
import { allowOrigins } from "./allow-origins.ts";
import { type ErrorAnswer, errorBody, SECURITY_HEADERS } from "./answer-parts.ts";
import { noteClientAddress } from "./client-address.ts";
import { type ConnectionCounts, Connections, vouchFor } from "./connections.ts";
import { foreignRequest, type RequestChecks } from "./foreign-request.ts";
import { canonicalTarget } from "./request-target.ts";

interface ConnectionLimits extends ConnectionCounts {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** A caller that reads nothing of its response for this long is disconnected. */
  readonly stalledMs: number;
}

/** A refusal in the format of a protocol. */
interface ProtocolRefusal {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface GuardOptions extends Partial<ConnectionLimits>, RequestChecks {
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly Cidr[];
  /** The public path prefix, which a proxy may or may not strip. */
  readonly basePath?: string;
  /** Sends HSTS. */
  readonly isHttps?: boolean;
  /** Callers must authenticate; the routes call `vouchFor` for those who did. */
  readonly isAuthenticated?: boolean;
  /** The refusal in the format of the protocol at a URL, if it has its own. */
  readonly refusalAt?: (url: string, refused: ErrorAnswer) => ProtocolRefusal | undefined;
}

const DEFAULTS: ConnectionLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  stalledMs: 120_000,
  connections: 10_000,
  guestsPerAddress: 1_000,
};
const MAX_PIPELINED = 100;
/** How long a refused caller has to read why. */
const LINGER_MS = 1_000;
/** Headers that routes may override. */
const { "Cache-Control": _, ...ALWAYS } = SECURITY_HEADERS;
const UNEXPECTED: ErrorAnswer = {
  status: 417,
  code: "expectation_failed",
  message: "Only Expect: 100-continue is supported",
};
const BUSY: ErrorAnswer = {
  status: 503,
  code: "too_many_connections",
  message: "Too many connections; retry in a moment",
};
const MALFORMED: ErrorAnswer = {
  status: 400,
  code: "malformed_request",
  message: "Malformed request",
};

/** Errors of Node's HTTP parser, by code. */
const BROKEN_REQUESTS: Readonly<Record<string, ErrorAnswer>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: "request_timeout",
    message: "The request did not arrive in time",
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: "headers_too_large",
    message: "The request headers are too large",
  },
};

/** An HTTP server that refuses foreign requests, limits connections and answers errors as JSON; used for every port. */
export function guardedServer(routes: RequestListener, options: GuardOptions = {}): Server {
  const limits = { ...DEFAULTS, ...options };
  const { headersTimeoutMs, requestTimeoutMs } = limits;
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // How often Node checks the timeouts above.
    connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs / 4),
    // We refuse requests without Host ourselves, with a reason.
    requireHostHeader: false,
  });
  const connections = new Connections(limits, options.trustedProxies);
  server.on("connection", (socket) => connections.add(socket));
  server.setTimeout(limits.stalledMs, (socket: Socket) => {
    // Routes may be slow; callers that do not read may not.
    if (!connections.isAnswering(socket) || socket.writableLength > 0) socket.destroy();
  });
  const inTurn = new Pipelines();
  const guard = (request: IncomingMessage, response: ServerResponse, isContinued = false): void => {
    request.url = targetBelow(options.basePath ?? "", request.url ?? "");
    noteClientAddress(request, options.trustedProxies);
    if (options.isHttps) response.setHeader("Strict-Transport-Security", "max-age=31536000");
    if (!connections.answer(request, response)) return void send(response, BUSY);
    const refused = foreignRequest(request, options);
    if (refused) return void send(response, refused, options.refusalAt?.(request.url ?? "", refused));
    if (isContinued) response.writeContinue();
    if (!options.isAuthenticated) vouchFor(request, response);
    for (const [name, value] of Object.entries(ALWAYS)) response.setHeader(name, value);
    if (!allowOrigins(options.origins, request, response)) routes(request, response);
  };
  server.on("request", (request, response) => inTurn.serve(response, () => guard(request, response)));
  server.on("checkContinue", (request, response) =>
    inTurn.serve(response, () => guard(request, response, true)),
  );
  server.on("checkExpectation", (_request, response) => send(response, UNEXPECTED));
  server.on("connect", (_request, socket) => endWith(socket, MALFORMED));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // A response is being written: a second one must not follow.
    if (!socket.writable || connections.isAnswering(socket as Socket)) socket.destroy();
    else endWith(socket, BROKEN_REQUESTS[error.code ?? ""] ?? MALFORMED);
  });
  return server;
}

/** Serves pipelined requests of a connection one after the other. */
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

/** Strips the base path, if a proxy has left it. */
function targetBelow(basePath: string, url: string): string {
  const target = canonicalTarget(url) ?? url;
  const [path = ""] = target.split("?", 1);
  if (basePath === "" || !`${path}/`.startsWith(`${basePath}/`)) return target;
  return target.slice(basePath.length).replace(/^(?!\/)/, "/");
}

function send(response: ServerResponse, answer: ErrorAnswer, refusal?: ProtocolRefusal): void {
  const { headers, body } = responseParts(answer, refusal);
  response.writeHead(answer.status, headers).end(body);
}

/** Sends an error to a connection without a request, and closes it. */
function endWith(socket: Duplex, answer: ErrorAnswer): void {
  socket.end(asText(answer));
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function asText(answer: ErrorAnswer): string {
  const { headers, body } = responseParts(answer);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`, ...lines, "", body].join("\r\n");
}

function responseParts(
  answer: ErrorAnswer,
  refusal?: ProtocolRefusal,
): { headers: Record<string, string | number>; body: string } {
  const body = refusal?.body ?? JSON.stringify(errorBody(answer));
  const headers = {
    ...SECURITY_HEADERS,
    "Content-Type": "application/json",
    ...refusal?.headers,
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  };
  return { headers, body };
}
