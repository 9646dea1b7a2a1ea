import type { IncomingMessage, ServerResponse } from "node:http";
import type { Operation, OperationRequests, UnaryOperation } from "../dialects/dialect.ts";
import { v1Dialect } from "../dialects/v1-dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import type { Caller } from "../tasks/caller.ts";
import { activateExtensions, admit } from "./admission.ts";
import type { AgentOperations } from "./agent-operations.ts";
import { HttpError } from "./http-error.ts";
import { protocolError } from "./protocol-error.ts";
import { idempotencyKey, requestedVersion } from "./request-headers.ts";
import { requestKeyOf } from "./request-key.ts";
import { restErrorText, restStatus } from "./rest-errors.ts";
import { readParams } from "./rest-params.ts";
import { allowedMethods, routeOf } from "./rest-routes.ts";
import { sendJson } from "./send-json.ts";
import { sseErrorFrame } from "./sse-response.ts";
import { answerStream, answerSubscribe, type StreamExchange } from "./stream-answers.ts";

/** Where REST is spoken: below a root of its own, so that no tenant takes the path of anything else. */
export const REST_ROOT = "/a2a/rest";

const CONTENT_TYPE = "application/a2a+json";
const BARE = { before: "", after: "" };

/** A2A v1.0 over REST, which the specification calls HTTP+JSON. */
export class RestBinding {
  readonly #operations: AgentOperations;
  readonly #report: (error: unknown) => void;

  /** `report` hears of errors that are not the caller's. */
  constructor(operations: AgentOperations, report: (error: unknown) => void) {
    this.#operations = operations;
    this.#report = report;
  }

  /** Answers one request below `REST_ROOT` on behalf of this owner, whatever goes wrong. */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    owner: string,
    authenticated = false,
  ): Promise<void> {
    try {
      await this.#answer(request, response, { owner, authenticated, dialect: v1Dialect.version });
    } catch (error) {
      this.#sendError(response, error);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, identity: Caller): Promise<void> {
    const [path = "", query = ""] = (request.url ?? "").slice(REST_ROOT.length).split("?");
    if (request.method === "OPTIONS")
      return void response.writeHead(204, { Allow: allowedMethods(path) }).end();
    const { operation, named } = routeOf(request.method ?? "", path);
    checkVersion(requestedVersion(request));
    activateExtensions(this.#operations, { request, response, dialect: v1Dialect });
    const params = await readParams(request, query, named);
    const requestKey = requestKeyOf(operation, idempotencyKey(request), params);
    const caller = { ...identity, ...(requestKey && { requestKey }) };
    const exchange: StreamExchange = {
      request,
      response,
      caller,
      dialect: v1Dialect,
      envelope: BARE,
      errorFrame: (error) => sseErrorFrame(restErrorText(protocolError(error, this.#report))),
    };
    switch (operation) {
      case "stream":
        return answerStream(this.#operations, exchange, this.#decode(operation, params));
      case "subscribe":
        return answerSubscribe(this.#operations, exchange, this.#decode(operation, params));
      default:
        return send(response, 200, await this.#unary(operation, params, caller));
    }
  }

  async #unary<O extends UnaryOperation>(operation: O, params: unknown, caller: Caller): Promise<string> {
    const run = this.#operations.unary[operation];
    const result = await run(this.#decode(operation, params), caller);
    // What has no content is an empty object, as ProtoJSON writes it: some clients parse every body.
    return JSON.stringify(v1Dialect.encodeResult(operation, result) ?? {});
  }

  #decode<O extends Operation>(operation: O, params: unknown): OperationRequests[O] {
    return admit(this.#operations, operation, v1Dialect.decodeRequest(operation, params));
  }

  #sendError(response: ServerResponse, error: unknown): void {
    const known = protocolError(error, this.#report);
    const headers = known instanceof HttpError ? known.answer.headers : {};
    send(response, restStatus(known), restErrorText(known), headers);
  }
}

function checkVersion(version: string | undefined): void {
  if (version === undefined || /^1\.0(\.|$)/.test(version.trim())) return;
  const supported = v1Dialect.version;
  const message = `A2A version ${version} is not supported over REST; supported is ${supported}`;
  throw new A2AError("VersionNotSupported", message, { version, supported });
}

function send(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendJson(response, { status, text, headers: { ...headers, "Content-Type": CONTENT_TYPE } });
}
