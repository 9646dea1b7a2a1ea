import type { IncomingMessage, ServerResponse } from "node:http";
import type { UnaryOperation } from "../dialects/dialect.ts";
import { v1Dialect } from "../dialects/v1-dialect.ts";
import type { Caller } from "../tasks/caller.ts";
import type { AgentOperations } from "./agent-operations.ts";
import { checkVersion } from "./check-version.ts";
import { LEGACY_PREFIX, legacyRestForm } from "./legacy-rest/legacy-rest-form.ts";
import { protocolError } from "./protocol-error.ts";
import { requestedVersion } from "./request-headers.ts";
import { restErrorText, restStatus } from "./rest-errors.ts";
import type { RestForm } from "./rest-form.ts";
import { readParams } from "./rest-params.ts";
import { MethodNotAllowedError, routeOf } from "./rest-routes.ts";
import { type JsonAnswer, sendJson } from "./send-json.ts";
import { sseErrorFrame } from "./sse-response.ts";
import { answerStream, answerSubscribe, type StreamExchange } from "./stream-answers.ts";

/** Where REST is spoken: below a root of its own, so that no tenant takes the path of anything else. */
export const REST_ROOT = "/a2a/rest";

const BARE = { before: "", after: "" };

const restForm: RestForm = {
  dialect: v1Dialect,
  contentType: "application/a2a+json",
  routeOf,
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

  /** Answers one request below `REST_ROOT` on behalf of this owner, whatever goes wrong. */
  async handle(request: IncomingMessage, response: ServerResponse, owner: string): Promise<void> {
    const [path = "", query = ""] = (request.url ?? "").slice(REST_ROOT.length).split("?");
    const form = path.startsWith(`${LEGACY_PREFIX}/`) ? legacyRestForm : restForm;
    const exchange = { form, path, query, request, response };
    try {
      await this.#answer(exchange, { owner, dialect: form.dialect.version });
    } catch (error) {
      this.#sendError(exchange, error);
    }
  }

  async #answer({ form, path, query, request, response }: Exchange, caller: Caller): Promise<void> {
    const { dialect } = form;
    const { operation, named } = form.routeOf(request.method ?? "", path);
    checkVersion(requestedVersion(request), dialect.version);
    const params = await readParams(request, query, named);
    const { tasks } = this.#operations;
    const exchange: StreamExchange = {
      request,
      response,
      caller,
      dialect,
      envelope: BARE,
      errorFrame: (error) => sseErrorFrame(form.errorText(protocolError(error, this.#report))),
    };
    switch (operation) {
      case "stream":
        return answerStream(tasks, exchange, dialect.decodeRequest(operation, params));
      case "subscribe":
        return answerSubscribe(tasks, exchange, dialect.decodeRequest(operation, params));
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
    const result = await run(dialect.decodeRequest(operation, params), caller);
    // What has no content is an empty object, as ProtoJSON writes it: some clients parse every body.
    return JSON.stringify(dialect.encodeResult(operation, result) ?? {});
  }

  #sendError({ form, response }: Exchange, error: unknown): void {
    const known = protocolError(error, this.#report);
    const headers = known instanceof MethodNotAllowedError ? { Allow: known.allowed } : {};
    send(response, form, { status: form.errorStatus(known), text: form.errorText(known), headers });
  }
}

function send(response: ServerResponse, { contentType }: RestForm, answer: JsonAnswer): void {
  sendJson(response, { ...answer, headers: { ...answer.headers, "Content-Type": contentType } });
}
