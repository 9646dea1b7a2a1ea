import type { IncomingMessage, ServerResponse } from "node:http";
import { chooseDialect, dialectOfVersion } from "../dialects/choose-dialect.ts";
import type { Dialect, OperationRequests, UnaryOperation } from "../dialects/dialect.ts";
import { v03Dialect } from "../dialects/v03-dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import type { Message } from "../protocol/model.ts";
import type { Caller } from "../tasks/caller.ts";
import type { EventBatches } from "../tasks/task-operations.ts";
import type { AgentOperations } from "./agent-operations.ts";
import { artifactPositions } from "./artifact-positions.ts";
import { eventFrames } from "./event-frames.ts";
import { idOf, type RpcCall, type RpcId, readCall, resultEnvelope } from "./json-rpc-envelope.ts";
import { BodyTooLargeError, readJson } from "./read-json.ts";
import { lastEventId, requestedVersion } from "./request-headers.ts";
import { closeSignal, SseResponse, sseFrame } from "./sse-response.ts";

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
      sendJson(response, status, this.#errorText(id, dialect, error));
    }
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { call, dialect } = exchange;
    const operation = dialect.operationOf(call.method);
    if (!operation)
      throw new A2AError("MethodNotFound", `There is no method ${call.method}`, { method: call.method });
    if (operation === "stream") return this.#stream(exchange, dialect.decodeRequest(operation, call.params));
    if (operation === "subscribe")
      return this.#subscribe(exchange, dialect.decodeRequest(operation, call.params));
    return this.#unary(exchange, operation);
  }

  async #unary<O extends UnaryOperation>(
    { call, dialect, caller, response }: Exchange,
    operation: O,
  ): Promise<void> {
    const run = this.#operations.unary[operation];
    const result = await run(dialect.decodeRequest(operation, call.params), caller);
    const { before, after } = resultEnvelope(call.id);
    sendJson(response, 200, before + JSON.stringify(dialect.encodeResult(operation, result)) + after);
  }

  async #stream(exchange: Exchange, params: OperationRequests["stream"]): Promise<void> {
    const signal = closeSignal(exchange.response);
    const accepted = await this.#operations.tasks.stream(params, exchange.caller, signal);
    if ("message" in accepted) return this.#sendMessage(exchange, accepted.message);
    await this.#sendEvents(exchange, accepted.events, artifactPositions());
  }

  async #subscribe(exchange: Exchange, { id }: OperationRequests["subscribe"]): Promise<void> {
    const after = lastEventId(exchange.request);
    const signal = closeSignal(exchange.response);
    const { tasks } = this.#operations;
    const events = await tasks.subscribe(
      { id, signal, ...(after !== undefined && { after }) },
      exchange.caller,
    );
    const known =
      after === undefined ? [] : (await tasks.get({ id, historyLength: 0 }, exchange.caller)).artifacts;
    await this.#sendEvents(exchange, events, artifactPositions(known));
  }

  async #sendMessage({ call, dialect, response }: Exchange, message: Message): Promise<void> {
    const { before, after } = resultEnvelope(call.id);
    const event = { payload: { message }, json: JSON.stringify({ message }) };
    const results = dialect.eventEncoder(artifactPositions())(event);
    const sse = new SseResponse(response);
    await sse.write(results.map((result) => sseFrame(undefined, before + result + after)).join(""));
    sse.end();
  }

  async #sendEvents(
    exchange: Exchange,
    events: EventBatches,
    positions: (id: string) => number,
  ): Promise<void> {
    const { call, dialect, response } = exchange;
    const encode = dialect.eventEncoder(positions);
    const envelope = resultEnvelope(call.id);
    const sse = new SseResponse(response);
    try {
      for await (const batch of events) await sse.write(eventFrames(batch, encode, envelope));
    } catch (error) {
      await sse.write(sseFrame(undefined, this.#errorText(call.id, dialect, error)));
    } finally {
      sse.end();
    }
  }

  // Anything but an error of the protocol is ours: the caller learns that, and the log what it was.
  #errorText(id: RpcId, dialect: Dialect, error: unknown): string {
    const known =
      error instanceof A2AError ? error : new A2AError("Internal", "Something went wrong on our side");
    if (known !== error) this.#report(error);
    return JSON.stringify({ jsonrpc: "2.0", id, error: dialect.encodeError(known) });
  }
}

function sendJson(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" }).end(text);
}
