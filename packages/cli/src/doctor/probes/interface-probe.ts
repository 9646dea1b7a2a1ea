import { type AgentEndpoint, isObject } from "@parley/a2a";
import {
  A2AError,
  dialectOfVersion,
  endpointUrl,
  type Operation,
  type OperationRequests,
  type OperationResults,
  REST_ENCODINGS,
  type UnaryOperation,
} from "@parley/a2a/checks";
import type { Examination } from "../examination.ts";
import type { Exchange, TimedFrame, WireRequest, WireStream } from "../exchange.ts";
import { askByGrpc, openByGrpc } from "./grpc-exchange.ts";

/** The agent's answer, decoded in the interface's protocol version. */
export interface Answer<T> {
  readonly exchange: Exchange;
  readonly error?: A2AError;
  /** The JSON-RPC error code as it was received. */
  readonly code?: number;
  readonly value?: T;
  /** The result before it was decoded. */
  readonly raw?: unknown;
  /** Why the response is not a valid answer. */
  readonly problem?: string;
}

/** How a request deviates from a valid one. */
export interface Deviation {
  /** Returns another body; for JSON-RPC it gets the whole envelope. */
  readonly tamper?: (body: Record<string, unknown>) => unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const BINDING_NAMES = { JSONRPC: "JSON-RPC", "HTTP+JSON": "REST", GRPC: "gRPC" } as const;
let lastId = 0;

/** One interface of the agent (a binding at an address in a protocol version), as checks use it. */
export class InterfaceProbe {
  readonly examination: Examination;
  readonly endpoint: AgentEndpoint;
  /** Like `1.0 JSON-RPC`. */
  readonly name: string;

  constructor(examination: Examination, endpoint: AgentEndpoint) {
    this.examination = examination;
    this.endpoint = endpoint;
    this.name = `${endpoint.dialect} ${BINDING_NAMES[endpoint.binding]}`;
  }

  /** The same interface in another examination. */
  in(examination: Examination): InterfaceProbe {
    return new InterfaceProbe(examination, this.endpoint);
  }

  get dialect(): AgentEndpoint["dialect"] {
    return this.endpoint.dialect;
  }

  get isJsonRpc(): boolean {
    return this.endpoint.binding === "JSONRPC";
  }

  /** gRPC has no JSON of its own that could be tampered with. */
  get isGrpc(): boolean {
    return this.endpoint.binding === "GRPC";
  }

  /** Whether the protocol version has this operation. */
  supports(operation: Operation): boolean {
    return dialectOfVersion(this.dialect).methodOf(operation) !== undefined;
  }

  /** Runs a probe of this interface the first time it is needed, and returns the same outcome afterwards. */
  once<T>(key: string, probe: () => Promise<T>): Promise<T> {
    return this.examination.once(`${key} ${this.name}`, probe);
  }

  /** Calls an operation that has one answer. */
  async ask<O extends UnaryOperation>(
    operation: O,
    request: OperationRequests[O],
    deviation: Deviation = {},
  ): Promise<Answer<OperationResults[O]>> {
    const { wire, unfinished } = this.examination;
    const question = { operation, request, ...deviation };
    const onAnswer =
      operation === "send" ? unfinished.sending(this, request as OperationRequests["send"]) : undefined;
    const answer = this.isGrpc
      ? await askByGrpc(this, question)
      : readAnswer(this.endpoint, operation, await wire.ask(wireRequest(this.endpoint, question)));
    onAnswer?.(answer as Answer<OperationResults["send"]>);
    if (operation === "cancel" && answer.value) unfinished.canceled(request as OperationRequests["cancel"]);
    return answer;
  }

  /** Opens a stream and reads it until it ends or `take` has enough. */
  openStream<O extends "stream" | "subscribe">(
    operation: O,
    request: OperationRequests[O],
    take: (frame: TimedFrame) => "enough" | undefined,
  ): Promise<WireStream> {
    if (this.isGrpc) return openByGrpc(this, { operation, request, take });
    const headers = { accept: "text/event-stream" };
    return this.examination.wire.stream(wireRequest(this.endpoint, { operation, request, headers }), take);
  }
}

function wireRequest<O extends Operation>(
  endpoint: AgentEndpoint,
  question: { readonly operation: O; readonly request: OperationRequests[O] } & Deviation,
): WireRequest {
  const { operation, tamper = (body) => body } = question;
  const request = { ...question.request, ...(endpoint.tenant && { tenant: endpoint.tenant }) };
  const version = endpoint.dialect === "1.0" ? { "a2a-version": "1.0" } : {};
  if (endpoint.binding === "JSONRPC") {
    const dialect = dialectOfVersion(endpoint.dialect);
    const params = dialect.encodeRequest(operation, request);
    const body = { jsonrpc: "2.0", id: ++lastId, method: dialect.methodOf(operation), params };
    const headers = { "content-type": "application/json", ...version, ...question.headers };
    return { url: endpoint.url, headers, body: asText(tamper(body)) };
  }
  const rest = REST_ENCODINGS[endpoint.dialect];
  if (!rest) throw new Error(`A2A ${endpoint.dialect} has no REST binding`);
  const { method, path, query, body } = rest.request(operation, request);
  const contentType = body === undefined ? {} : { "content-type": rest.mediaType };
  return {
    url: endpointUrl(endpoint.url, path, query).href,
    method: method as "GET" | "POST" | "DELETE",
    headers: { ...contentType, ...version, ...question.headers },
    ...(body !== undefined && { body: asText(tamper(JSON.parse(body))) }),
  };
}

/** Decodes a response of this endpoint; never throws for what the agent sent. */
export function readAnswer<O extends UnaryOperation>(
  endpoint: AgentEndpoint,
  operation: O,
  exchange: Exchange,
): Answer<OperationResults[O]> {
  const { json, status, failure, contentType, text } = exchange;
  const invalid = (problem: string) => ({ exchange, problem });
  if (failure !== undefined) return invalid(failure);
  if (status === 401 || status === 403) return invalid(`HTTP ${status}: authentication required`);
  const isRpc = endpoint.binding === "JSONRPC";
  const dialect = dialectOfVersion(endpoint.dialect);
  const rest = isRpc ? undefined : REST_ENCODINGS[endpoint.dialect];
  if (json === undefined && !(status === 204 || (!isRpc && status === 200 && text === "")))
    return invalid(`HTTP ${status} with ${contentType || "no content type"}, not JSON`);
  const members = isObject(json) ? json : {};
  if (isRpc && isObject(members.error)) {
    const code = typeof members.error.code === "number" ? { code: members.error.code } : {};
    return { exchange, error: dialect.decodeError(members.error), ...code };
  }
  const error = rest?.errorIn(json);
  if (error && (status >= 400 || status === 200)) return { exchange, error };
  if (status >= 400) return invalid(`HTTP ${status} without an A2A error`);
  if (isRpc && !("result" in members)) return invalid("JSON without a result");
  const raw = isRpc ? members.result : json;
  try {
    return { exchange, raw, value: (rest ?? dialect).decodeResult(operation, raw) };
  } catch (thrown) {
    if (!(thrown instanceof A2AError)) throw thrown;
    return { exchange, raw, problem: `the result of ${operation} is invalid: ${thrown.message}` };
  }
}

/** An answer in a few words. */
export function answerText({ problem, error, code, exchange }: Answer<unknown>): string {
  if (problem !== undefined) return problem;
  if (!error) return "a result";
  const shown = code ?? (exchange.status === 0 ? "gRPC" : `HTTP ${exchange.status}`);
  return `${shown} (${error.kind}: ${error.message.slice(0, 120)})`;
}

function asText(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}
