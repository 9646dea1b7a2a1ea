import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isUnchanged, type ServedCard } from "../cards/served-card.ts";
import type { AgentOperations } from "./agent-operations.ts";
import { JsonRpcBinding } from "./json-rpc.ts";
import { REST_ROOT, RestBinding } from "./rest.ts";

/** The paths at which JSON-RPC is spoken; the documents name all three. */
const JSON_RPC_PATHS = new Set(["/", "/a2a", "/message/stream", "/a2a/jsonrpc"]);

export interface AgentListenerOptions {
  readonly operations: AgentOperations;
  /** By path: `/.well-known/agent-card.json` and `/.well-known/agent.json`. */
  readonly cards: ReadonlyMap<string, ServedCard>;
  /** Whose call it is. */
  readonly ownerOf: (request: IncomingMessage) => string;
  /** Hears of errors that are not the caller's. */
  readonly report: (error: unknown) => void;
  /** Everything else that is served on the same port. */
  readonly next: RequestListener;
}

/** Serves an agent: its cards and its operations. */
export function agentListener({
  operations,
  cards,
  ownerOf,
  report,
  next,
}: AgentListenerOptions): RequestListener {
  const jsonRpc = new JsonRpcBinding(operations, report);
  const rest = new RestBinding(operations, report);
  return (request, response) => {
    const [path = "/"] = (request.url ?? "/").split("?");
    const card = request.method === "GET" || request.method === "HEAD" ? cards.get(path) : undefined;
    if (card) return sendCard(request, response, card);
    if (request.method === "POST" && JSON_RPC_PATHS.has(path)) {
      jsonRpc.handle(request, response, ownerOf(request)).catch(report);
      return;
    }
    if (path === REST_ROOT || path.startsWith(`${REST_ROOT}/`)) {
      rest.handle(request, response, ownerOf(request)).catch(report);
      return;
    }
    next(request, response);
  };
}

function sendCard(request: IncomingMessage, response: ServerResponse, card: ServedCard): void {
  if (isUnchanged(request.headers["if-none-match"], card.etag)) {
    response.writeHead(304, { etag: card.etag }).end();
  } else {
    response.writeHead(200, card.headers).end(request.method === "HEAD" ? undefined : card.body);
  }
}
