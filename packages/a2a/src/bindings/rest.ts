import type { IncomingMessage, ServerResponse } from "node:http";
import type { Operation, OperationRequests, UnaryOperation } from "../dialects/dialect.ts";
import { v1Dialect } from "../dialects/v1/dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import { isObject } from "../protocol/model.ts";
import type { Caller, CallerIdentity } from "../tasks/caller.ts";
import { activateExtensions, admit } from "./admission.ts";
import { type AgentOperations, mayChange } from "./agent-operations.ts";
import { checkContentType } from "./content-type.ts";
import { HttpError } from "./http-error.ts";
import { LEGACY_PREFIX, legacyRestForm } from "./legacy-rest/legacy-rest-form.ts";
import { checkAccess } from "./lost-access.ts";
import { protocolError } from "./protocol-error.ts";
import { readOptionalJson } from "./read-json.ts";
import { checkVersion, idempotencyKey, requestedVersion, traceparent } from "./request-headers.ts";
import { requestKeyOf } from "./request-key.ts";
import { restErrorText, restStatus } from "./rest-errors.ts";
import { type RestForm, restRoutes } from "./rest-routes.ts";
import { type JsonAnswer, sendJson } from "./send-json.ts";
import { sseFrame } from "./sse-response.ts";
import { answerStream, answerSubscribe, type StreamExchange } from "./stream-answers.ts";

const BOOLEANS = new Set(["includeArtifacts"]);

interface RestCall {
  readonly query: string;
  /** What the path names. */
  readonly named: Readonly<Record<string, string>>;
  readonly caller: CallerIdentity;
}

/** What a REST call says in its path and in its body or query, put together as JSON-RPC params would be. */
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

/** Where REST is spoken: below a root of its own, so that no tenant takes the path of anything else. */
export const REST_ROOT = "/a2a/rest";

/** What whoever may only look may ask for; anything else is refused before its body is read. */
const READS: ReadonlySet<Operation> = new Set([
  "get",
  "list",
  "subscribe",
  "getPush",
  "listPush",
  "extendedCard",
]);

const BARE = { before: "", after: "" };

/** v1.0 over REST. */
export const restForm: RestForm = {
  dialect: v1Dialect,
  contentType: "application/a2a+json",
  routes: restRoutes,
  errorStatus: restStatus,
  errorText: restErrorText,
};

/** One request on its way: in which form, and where the answer goes. */
interface Exchange {
  readonly form: RestForm;
  /** Below the root. */
  readonly path: string;
  readonly query: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A2A over REST, which the specification calls HTTP+JSON: v1.0, and v0.3 below `/v1`. */
export class RestBinding {
  readonly #operations: AgentOperations;
  readonly #report: (error: unknown) => void;

  /** `report` hears of errors that are not the caller's. */
  constructor(operations: AgentOperations, report: (error: unknown) => void) {
    this.#operations = operations;
    this.#report = report;
  }

  /** Answers one request below `REST_ROOT` on behalf of this caller, whatever goes wrong. */
  async handle(request: IncomingMessage, response: ServerResponse, identity: CallerIdentity): Promise<void> {
    const [path = "", query = ""] = (request.url ?? "").slice(REST_ROOT.length).split("?");
    const form = formOf(path);
    const exchange = { form, path, query, request, response };
    try {
      const caller = { ...identity, traceparent: traceparent(request) };
      await this.#answer(exchange, { ...caller, dialect: form.dialect.version });
    } catch (error) {
      this.#sendError(exchange, error);
    }
  }

  async #answer({ form, path, query, request, response }: Exchange, identity: Caller): Promise<void> {
    const { dialect, routes } = form;
    if (request.method === "OPTIONS")
      return void response.writeHead(204, { Allow: routes.allowedMethods(path) }).end();
    const { operation, named } = routes.routeOf(request.method ?? "", path);
    checkVersion(requestedVersion(request), dialect.version);
    activateExtensions(this.#operations, { request, response, dialect });
    if (!READS.has(operation)) mayChange(identity);
    const params = await readParams(request, { query, named, caller: identity });
    checkAccess(identity);
    const requestKey = requestKeyOf(operation, idempotencyKey(request), params);
    const caller = { ...identity, ...(requestKey && { requestKey }) };
    const exchange: StreamExchange = {
      request,
      response,
      caller,
      dialect,
      envelope: BARE,
      // Frames carry bare results: the type tells an error from them, as the SDKs expect.
      errorFrame: (error) => sseFrame(form.errorText(protocolError(error, this.#report)), { event: "error" }),
    };
    switch (operation) {
      case "stream":
        return answerStream(this.#operations, exchange, this.#decode(form, operation, params));
      case "subscribe":
        return answerSubscribe(this.#operations, exchange, this.#decode(form, operation, params));
      default:
        return send(response, form, {
          status: 200,
          text: await this.#unary(form, operation, params, caller),
        });
    }
  }

  async #unary<O extends UnaryOperation>(
    { dialect }: RestForm,
    operation: O,
    params: unknown,
    caller: Caller,
  ): Promise<string> {
    const run = this.#operations.unary[operation];
    const result = await run(this.#decode({ dialect }, operation, params), caller);
    // What has no content is an empty object, as ProtoJSON writes it: some clients parse every body.
    return JSON.stringify(dialect.encodeResult(operation, result) ?? {});
  }

  #decode<O extends Operation>(
    { dialect }: Pick<RestForm, "dialect">,
    operation: O,
    params: unknown,
  ): OperationRequests[O] {
    return admit(this.#operations, operation, dialect.decodeRequest(operation, params));
  }

  #sendError({ form, response }: Exchange, error: unknown): void {
    refuse(response, form, protocolError(error, this.#report));
  }
}

/** Answers a request below `REST_ROOT`, nothing of which was read, with an error. */
export function refuseRest(request: IncomingMessage, response: ServerResponse, error: A2AError): void {
  const [path = ""] = (request.url ?? "").slice(REST_ROOT.length).split("?");
  refuse(response, formOf(path), error);
}

function formOf(path: string): RestForm {
  return path.startsWith(`${LEGACY_PREFIX}/`) ? legacyRestForm : restForm;
}

function refuse(response: ServerResponse, form: RestForm, error: A2AError): void {
  const headers = error instanceof HttpError ? error.answer.headers : {};
  send(response, form, {
    status: form.errorStatus(error),
    text: form.errorText(error),
    ...(headers && { headers }),
  });
}

function send(response: ServerResponse, { contentType }: RestForm, answer: JsonAnswer): void {
  sendJson(response, { ...answer, headers: { ...answer.headers, "Content-Type": contentType } });
}
