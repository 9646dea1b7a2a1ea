import type { IncomingMessage, ServerResponse } from "node:http";
import type { Operation } from "../dialects/dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import { isObject } from "../protocol/model.ts";
import type { CallerIdentity } from "../tasks/caller.ts";
import { activateExtensions } from "./admission.ts";
import { type AgentOperations, mayChange } from "./agent-operations.ts";
import { type AgentRequestHandler, answerCall, type HttpExchange, sendJson } from "./answer-call.ts";
import { HttpError, protocolError } from "./http-error.ts";
import { checkAccess } from "./lost-access.ts";
import { readOptionalJson } from "./read-json.ts";
import {
  checkContentType,
  checkVersion,
  idempotencyKey,
  requestedVersion,
  requestKeyOf,
  traceparent,
} from "./request-headers.ts";
import { LEGACY_PREFIX, legacyRestFormat, type RestFormat, restFormat } from "./rest-formats.ts";
import { sseFrame } from "./sse-response.ts";

const BOOLEANS = new Set(["includeArtifacts"]);

interface RestCall {
  readonly query: string;
  /** What the path names. */
  readonly named: Readonly<Record<string, string>>;
  readonly caller: CallerIdentity;
}

/** Combines a REST call's path and body or query into the equivalent JSON-RPC params. */
async function readParams(
  request: IncomingMessage,
  { query, named, caller }: RestCall,
): Promise<Record<string, unknown>> {
  const given = request.method === "POST" ? await readBody(request, caller) : readQuery(query);
  // What the path names is so, however else the body or the query spells it.
  const others = Object.entries(given).filter(([name]) => !Object.hasOwn(named, camelCase(name)));
  return { ...Object.fromEntries(others), ...named };
}

/** The parameters of a query: all are text except booleans, whose text JSON readers do not take. */
function readQuery(query: string): Record<string, unknown> {
  const parameters = [...new URLSearchParams(query)].map(([name, text]) => {
    const field = camelCase(name);
    return [field, BOOLEANS.has(field) ? booleanOf(text) : text] as const;
  });
  return Object.fromEntries(parameters);
}

// An empty body is an empty request: cancel and subscribe need none.
async function readBody(request: IncomingMessage, caller: CallerIdentity): Promise<Record<string, unknown>> {
  checkContentType(request);
  const body = (await readOptionalJson(request, caller)) ?? {};
  if (!isObject(body)) throw new A2AError("InvalidParams", "The body must be an object", { field: "body" });
  return body;
}

function booleanOf(text: string): string | boolean {
  return text === "true" || (text === "false" ? false : text);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The root of the REST binding, so that no tenant shadows another path. */
export const REST_ROOT = "/a2a/rest";

/** What a read-only caller may ask for; anything else is refused before its body is read. */
const READS: ReadonlySet<Operation> = new Set([
  "get",
  "list",
  "subscribe",
  "getPush",
  "listPush",
  "extendedCard",
]);

/** Answers A2A over REST, in v1.0 and below `/v1` in v0.3; `report` receives errors that are not the caller's. */
export function restHandler(
  operations: AgentOperations,
  report: (error: unknown) => void,
): AgentRequestHandler {
  return async (request, response, identity) => {
    const [path = "", query = ""] = (request.url ?? "").slice(REST_ROOT.length).split("?");
    const format = formatOf(path);
    const { dialect, routes, contentType } = format;
    try {
      if (request.method === "OPTIONS")
        return void response.writeHead(204, { Allow: routes.allowedMethods(path) }).end();
      const { operation, named } = routes.routeOf(request.method ?? "", path);
      const spoken = { ...identity, traceparent: traceparent(request), dialect: dialect.version };
      checkVersion(requestedVersion(request), dialect.version);
      activateExtensions(operations, { request, response, dialect });
      if (!READS.has(operation)) mayChange(spoken);
      const params = await readParams(request, { query, named, caller: identity });
      checkAccess(identity);
      const requestKey = requestKeyOf(operation, idempotencyKey(request), params);
      const exchange: HttpExchange = {
        request,
        response,
        caller: { ...spoken, ...(requestKey && { requestKey }) },
        dialect,
        contentType,
        // What has no content is an empty object, as ProtoJSON writes it: some clients parse every body.
        wrap: (result) => (result === "null" ? "{}" : result),
        // Frames carry bare results; the event type marks an error, as the SDKs expect.
        errorFrame: (error) => sseFrame(format.errorText(protocolError(error, report)), { event: "error" }),
      };
      await answerCall(operations, exchange, operation, params);
    } catch (error) {
      refuse(response, format, protocolError(error, report));
    }
  };
}

/** Answers a request below `REST_ROOT`, nothing of which was read, with an error. */
export function refuseRest(request: IncomingMessage, response: ServerResponse, error: A2AError): void {
  const [path = ""] = (request.url ?? "").slice(REST_ROOT.length).split("?");
  refuse(response, formatOf(path), error);
}

function formatOf(path: string): RestFormat {
  return path.startsWith(`${LEGACY_PREFIX}/`) ? legacyRestFormat : restFormat;
}

function refuse(response: ServerResponse, format: RestFormat, error: A2AError): void {
  const headers = error instanceof HttpError ? error.answer.headers : {};
  sendJson(response, {
    status: format.errorStatus(error),
    text: format.errorText(error),
    headers: { ...headers, "Content-Type": format.contentType },
  });
}
