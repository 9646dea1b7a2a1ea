import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isUnchanged, type ServedCard } from "../cards/served-card.ts";
import { errorDialect } from "../dialects/choose-dialect.ts";
import { v1Dialect } from "../dialects/v1/dialect.ts";
import type { CallerIdentity } from "../tasks/caller.ts";
import type { AgentOperations } from "./agent-operations.ts";
import { type HttpError, MethodNotAllowedError } from "./http-error.ts";
import { jsonRpcHandler, sendRpcError } from "./json-rpc.ts";
import { requestedVersion } from "./request-headers.ts";
import { REST_ROOT, refuseRest, restHandler } from "./rest.ts";

/** The paths at which JSON-RPC is spoken: those that the documents name, and the one in our cards. */
const JSON_RPC_PATHS = new Set(["/", "/a2a", "/message/stream", "/a2a/jsonrpc"]);

export interface AgentListenerOptions {
  readonly operations: AgentOperations;
  /** By path: `/.well-known/agent-card.json` and `/.well-known/agent.json`. */
  readonly cards: ReadonlyMap<string, ServedCard>;
  /** The caller; a bare name is an unauthenticated caller. */
  readonly ownerOf: (request: IncomingMessage) => string | CallerIdentity;
  /** Hears of errors that are not the caller's. */
  readonly report: (error: unknown) => void;
  /** Everything else that is served on the same port. */
  readonly next: RequestListener;
}

/** Whether an agent's operations are served at this path, so that errors there are written in its dialect. */
export function isAgentPath(path: string): boolean {
  return isRestPath(path) || JSON_RPC_PATHS.has(withoutSlash(path));
}

/** Serves an agent: its cards and its operations. */
export function agentListener(options: AgentListenerOptions): RequestListener {
  const { operations, cards, ownerOf, report, next } = options;
  const jsonRpc = jsonRpcHandler(operations, report);
  const rest = restHandler(operations, report);
  const callerOf = (request: IncomingMessage) => {
    const owner = ownerOf(request);
    return typeof owner === "string" ? { owner } : owner;
  };
  return (request, response) => {
    const path = pathOf(request);
    const card = cards.get(path);
    if (card) {
      if (request.method === "GET" || request.method === "HEAD") return sendCard(request, response, card);
      return refuseMethod(request, response, "GET, HEAD, OPTIONS");
    }
    if (isRestPath(path)) {
      rest(request, response, callerOf(request)).catch(report);
      return;
    }
    if (!JSON_RPC_PATHS.has(path)) return next(request, response);
    if (request.method === "POST") {
      jsonRpc(request, response, callerOf(request)).catch(report);
    } else if (path === "/") {
      // People look at the root with a browser: what they see there is not the protocol's.
      next(request, response);
    } else {
      refuseMethod(request, response, "POST, OPTIONS");
    }
  };
}

/** Answers a call to an agent, nothing of which was read, with an error, as the binding at its path writes it. */
export function refuseCall(request: IncomingMessage, response: ServerResponse, error: HttpError): void {
  if (isRestPath(pathOf(request))) {
    refuseRest(request, response, error);
    return;
  }
  sendRpcError(response, error, errorDialect({ version: requestedVersion(request), method: "" }));
}

function pathOf({ url = "/" }: IncomingMessage): string {
  const [path = "/"] = url.split("?");
  return withoutSlash(path);
}

/** Clients join base URLs and paths differently: a trailing slash is ignored. */
function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function isRestPath(path: string): boolean {
  return path === REST_ROOT || path.startsWith(`${REST_ROOT}/`);
}

function refuseMethod(request: IncomingMessage, response: ServerResponse, allowed: string): void {
  if (request.method === "OPTIONS") return void response.writeHead(204, { Allow: allowed }).end();
  const error = new MethodNotAllowedError(request.method ?? "", pathOf(request), allowed);
  sendRpcError(response, error, v1Dialect);
}

function sendCard(request: IncomingMessage, response: ServerResponse, card: ServedCard): void {
  if (isUnchanged(request.headers["if-none-match"], card.etag)) {
    const { "content-length": _, ...headers } = card.headers;
    response.writeHead(304, headers).end();
  } else {
    response.writeHead(200, card.headers).end(request.method === "HEAD" ? undefined : card.body);
  }
}
