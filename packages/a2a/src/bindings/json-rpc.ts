import type { IncomingMessage, ServerResponse } from "node:http";
import { chooseDialect, dialectOfVersion } from "../dialects/choose-dialect.ts";
import type { Dialect, OperationRequests, TaskNames, UnaryOperation } from "../dialects/dialect.ts";
import { v03Dialect } from "../dialects/v03-dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import type { Caller } from "../tasks/caller.ts";
import type { AgentOperations } from "./agent-operations.ts";
import { idOf, type RpcCall, type RpcId, readCall, resultEnvelope } from "./json-rpc-envelope.ts";
import { protocolError } from "./protocol-error.ts";
import { BodyTooLargeError, readJson } from "./read-json.ts";
import { requestedVersion } from "./request-headers.ts";
import { sendJson } from "./send-json.ts";
import { sseFrame } from "./sse-response.ts";
import { answerStream, answerSubscribe, type StreamExchange } from "./stream-answers.ts";

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

  /** Answers one POST on behalf of this owner; whatever goes wrong is answered in the caller's dialect. */
  async handle(request: IncomingMessage, response: ServerResponse, owner: string): Promise<void> {
    let id: RpcId = null;
    let dialect: Dialect = v03Dialect;
    try {
      const version = requestedVersion(request);
      if (version) dialect = dialectOfVersion(version);
      const body = await readJson(request);
      id = idOf(body);
      const call = readCall(body);
      const createdIn = (taskId: string) => this.#operations.createdIn(taskId, owner);
      dialect = await chooseDialect({ version, method: call.method, params: call.params }, createdIn);
      await this.#answer({ call, dialect, caller: { owner, dialect: dialect.version }, request, response });
    } catch (error) {
      const status = error instanceof BodyTooLargeError ? 413 : 200;
      sendJson(response, { status, text: this.#errorText(id, dialect, error) });
    }
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { call, dialect } = exchange;
    const operation = dialect.operationOf(call.method);
    if (!operation)
      throw new A2AError("MethodNotFound", `There is no method ${call.method}`, { method: call.method });
    const { tasks } = this.#operations;
    switch (operation) {
      case "stream":
        return answerStream(tasks, this.#asStream(exchange), dialect.decodeRequest(operation, call.params));
      case "subscribe":
        return answerSubscribe(
          tasks,
          this.#asStream(exchange),
          dialect.decodeRequest(operation, call.params),
        );
      default:
        return this.#unary(exchange, operation);
    }
  }

  async #unary<O extends UnaryOperation>(
    { call, dialect, caller, response }: Exchange,
    operation: O,
  ): Promise<void> {
    const run = this.#operations.unary[operation];
    const request = dialect.decodeRequest(operation, call.params);
    const result = await run(request, caller);
    const { before, after } = resultEnvelope(call.id);
    const text = before + JSON.stringify(dialect.encodeResult(operation, result, namesIn(request))) + after;
    sendJson(response, { status: 200, text });
  }

  #asStream(exchange: Exchange): StreamExchange {
    const { call, dialect } = exchange;
    const errorFrame = (error: unknown) => sseFrame(undefined, this.#errorText(call.id, dialect, error));
    return { ...exchange, envelope: resultEnvelope(call.id), errorFrame };
  }

  #errorText(id: RpcId, dialect: Dialect, error: unknown): string {
    const known = protocolError(error, this.#report);
    return JSON.stringify({ jsonrpc: "2.0", id, error: dialect.encodeError(known) });
  }
}

// v0.1 answers with the task's id even where there is no task, only a message.
function namesIn(request: OperationRequests[UnaryOperation]): TaskNames {
  if (!("message" in request)) return {};
  const { taskId, contextId } = request.message;
  return { ...(taskId !== undefined && { id: taskId }), ...(contextId !== undefined && { contextId }) };
}
