import type { IncomingMessage, ServerResponse } from "node:http";
import { chooseDialect, errorDialect } from "../dialects/choose-dialect.ts";
import type { Dialect, Operation, OperationRequests, UnaryOperation } from "../dialects/dialect.ts";
import { v03Dialect } from "../dialects/v03/dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import type { Caller, CallerIdentity } from "../tasks/caller.ts";
import { activateExtensions, admit } from "./admission.ts";
import type { AgentOperations } from "./agent-operations.ts";
import { checkContentType } from "./content-type.ts";
import { HttpError } from "./http-error.ts";
import { idOf, type RpcCall, type RpcId, readCall, resultEnvelope } from "./json-rpc-envelope.ts";
import { checkAccess } from "./lost-access.ts";
import { protocolError } from "./protocol-error.ts";
import { readJson } from "./read-json.ts";
import { idempotencyKey, requestedVersion, traceparent } from "./request-headers.ts";
import { requestKeyOf } from "./request-key.ts";
import { isClean } from "./request-limits.ts";
import { sendJson } from "./send-json.ts";
import { sseFrame } from "./sse-response.ts";
import { answerStream, answerSubscribe, namesIn, type StreamExchange } from "./stream-answers.ts";

/** One call on its way: what came, how it speaks, and where the answer goes. */
interface Exchange {
  readonly call: RpcCall;
  readonly dialect: Dialect;
  readonly caller: Caller;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A2A over JSON-RPC, in every dialect, on one URL. */
export class JsonRpcBinding {
  readonly #operations: AgentOperations;
  readonly #report: (error: unknown) => void;

  /** `report` hears of errors that are not the caller's. */
  constructor(operations: AgentOperations, report: (error: unknown) => void) {
    this.#operations = operations;
    this.#report = report;
  }

  /** Answers one POST on behalf of this caller; whatever goes wrong is answered in the caller's dialect. */
  async handle(request: IncomingMessage, response: ServerResponse, identity: CallerIdentity): Promise<void> {
    let id: RpcId = null;
    let dialect: Dialect = v03Dialect;
    try {
      const version = requestedVersion(request);
      dialect = errorDialect({ version, method: "" });
      checkContentType(request);
      const body = await readJson(request, identity);
      checkAccess(identity);
      id = idOf(body);
      const call = readCall(body);
      dialect = errorDialect({ version, method: call.method });
      const createdIn = async (taskId: string) =>
        isClean(taskId) ? this.#operations.createdIn(taskId, identity.owner) : undefined;
      dialect = await chooseDialect({ version, method: call.method, params: call.params }, createdIn);
      activateExtensions(this.#operations, { request, response, dialect });
      const operation = dialect.operationOf(call.method);
      const requestKey = requestKeyOf(operation, idempotencyKey(request), call.params ?? {});
      const spoken = { ...identity, dialect: dialect.version, traceparent: traceparent(request) };
      const caller = { ...spoken, ...(requestKey && { requestKey }) };
      await this.#answer({ call, dialect, caller, request, response });
    } catch (error) {
      const known = protocolError(error, this.#report);
      const { status = 200, headers = {} } = known instanceof HttpError ? known.answer : {};
      sendJson(response, { status, headers, text: errorText(id, dialect, known) });
    }
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { call, dialect } = exchange;
    const operation = dialect.operationOf(call.method);
    if (!operation)
      throw new A2AError("MethodNotFound", `There is no method ${call.method}`, { method: call.method });
    const operations = this.#operations;
    switch (operation) {
      case "stream":
        return answerStream(operations, this.#asStream(exchange), this.#decode(exchange, operation));
      case "subscribe":
        return answerSubscribe(operations, this.#asStream(exchange), this.#decode(exchange, operation));
      default:
        return this.#unary(exchange, operation);
    }
  }

  #decode<O extends Operation>({ call, dialect }: Exchange, operation: O): OperationRequests[O] {
    return admit(this.#operations, operation, dialect.decodeRequest(operation, call.params));
  }

  async #unary<O extends UnaryOperation>(exchange: Exchange, operation: O): Promise<void> {
    const { call, dialect, caller, response } = exchange;
    const request = this.#decode(exchange, operation);
    const result = await this.#operations.unary[operation](request, caller);
    const { before, after } = resultEnvelope(call.id);
    const text = before + JSON.stringify(dialect.encodeResult(operation, result, namesIn(request))) + after;
    sendJson(response, { status: 200, text });
  }

  #asStream(exchange: Exchange): StreamExchange {
    const { call, dialect } = exchange;
    const errorFrame = (error: unknown) =>
      sseFrame(errorText(call.id, dialect, protocolError(error, this.#report)));
    return { ...exchange, envelope: resultEnvelope(call.id), errorFrame };
  }
}

function errorText(id: RpcId, dialect: Dialect, error: A2AError): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: dialect.encodeError(error) });
}
