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
import { askByGrpc, openByGrpc } from "./grpc-way.ts";

/** One way to speak to the agent: a binding at an address, in a dialect. */
export interface Way {
  readonly endpoint: AgentEndpoint;
  /** Like `1.0 JSON-RPC`. */
  readonly name: string;
}

/** What the agent answered, read as the dialect has it. */
export interface Answer<T> {
  readonly exchange: Exchange;
  readonly error?: A2AError;
  /** The code that JSON-RPC has for it, as it came. */
  readonly code?: number;
  readonly value?: T;
  /** The result before it was read. */
  readonly raw?: unknown;
  /** Why the answer is none, in words. */
  readonly problem?: string;
}

type Body = Record<string, unknown>;

/** How a question departs from a good one. */
export interface Departure {
  /** Another body: of JSON-RPC the whole envelope. */
  readonly spoil?: (body: Body) => unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const BINDING_NAMES = { JSONRPC: "JSON-RPC", "HTTP+JSON": "REST", GRPC: "gRPC" } as const;
let lastId = 0;

export function wayOf(endpoint: AgentEndpoint): Way {
  return { endpoint, name: `${endpoint.dialect} ${BINDING_NAMES[endpoint.binding]}` };
}

/** Asks for an operation with one answer. */
export async function ask<O extends UnaryOperation>(
  examination: Examination,
  way: Way,
  question: { readonly operation: O; readonly request: OperationRequests[O] } & Departure,
): Promise<Answer<OperationResults[O]>> {
  const { wire, left } = examination;
  const { operation } = question;
  const sent =
    operation === "send" ? left.sending(way, question.request as OperationRequests["send"]) : undefined;
  const answer = isGrpc(way)
    ? await askByGrpc(examination, way, question)
    : readAnswer(way, operation, await wire.ask(wireRequest(way, question)));
  sent?.(answer as Answer<OperationResults["send"]>);
  if (operation === "cancel" && answer.value) left.canceled(question.request as OperationRequests["cancel"]);
  return answer;
}

/** Asks for a stream. */
export function openStream<O extends "stream" | "subscribe">(
  examination: Examination,
  way: Way,
  question: {
    readonly operation: O;
    readonly request: OperationRequests[O];
    readonly take: (frame: TimedFrame) => "enough" | undefined;
  },
): Promise<WireStream> {
  if (isGrpc(way)) return openByGrpc(examination, way, question);
  const request = wireRequest(way, { ...question, headers: { accept: "text/event-stream" } });
  return examination.wire.stream(request, question.take);
}

/** A question as it travels. */
export function wireRequest<O extends Operation>(
  { endpoint }: Way,
  question: { readonly operation: O; readonly request: OperationRequests[O] } & Departure,
): WireRequest {
  const { operation, spoil = (body) => body } = question;
  const request = { ...question.request, ...(endpoint.tenant && { tenant: endpoint.tenant }) };
  const version = endpoint.dialect === "1.0" ? { "a2a-version": "1.0" } : {};
  if (endpoint.binding === "JSONRPC") {
    const dialect = dialectOfVersion(endpoint.dialect);
    const params = dialect.encodeRequest(operation, request);
    const body = { jsonrpc: "2.0", id: ++lastId, method: dialect.methodOf(operation), params };
    const headers = { "content-type": "application/json", ...version, ...question.headers };
    return { url: endpoint.url, headers, body: asText(spoil(body)) };
  }
  const encoding = REST_ENCODINGS[endpoint.dialect];
  if (!encoding) throw new Error(`There is no REST in ${endpoint.dialect}`);
  const { method, path, query, body } = encoding.request(operation, request);
  const url = endpointUrl(endpoint.url, path, query).href;
  const type = body === undefined ? {} : { "content-type": encoding.mediaType };
  return {
    url,
    method: method as "GET" | "POST" | "DELETE",
    headers: { ...type, ...version, ...question.headers },
    ...(body !== undefined && { body: asText(spoil(JSON.parse(body))) }),
  };
}

/** Whether this way is gRPC, which has no JSON of its own that could be spoilt. */
export function isGrpc({ endpoint }: Way): boolean {
  return endpoint.binding === "GRPC";
}

/** Whether the dialect has this operation. */
export function has({ endpoint }: Way, operation: Operation): boolean {
  return dialectOfVersion(endpoint.dialect).methodOf(operation) !== undefined;
}

/** Reads an answer in the dialect of its way; never throws. */
export function readAnswer<O extends UnaryOperation>(
  { endpoint }: Way,
  operation: O,
  exchange: Exchange,
): Answer<OperationResults[O]> {
  const { json, status, failure } = exchange;
  if (failure !== undefined) return { exchange, problem: failure };
  if (status === 401 || status === 403)
    return { exchange, problem: `HTTP ${status}: it wants authentication` };
  const isRpc = endpoint.binding === "JSONRPC";
  const dialect = dialectOfVersion(endpoint.dialect);
  const encoding = isRpc ? undefined : REST_ENCODINGS[endpoint.dialect];
  if (json === undefined && !(status === 204 || (!isRpc && status === 200 && exchange.text === "")))
    return {
      exchange,
      problem: `HTTP ${status} with ${exchange.contentType || "no type"}, which is no JSON`,
    };
  const members = isObject(json) ? json : {};
  if (isRpc && isObject(members.error)) {
    const code = typeof members.error.code === "number" ? { code: members.error.code } : {};
    return { exchange, error: dialect.decodeError(members.error), ...code };
  }
  const error = encoding?.errorIn(json);
  if (error && (status >= 400 || status === 200)) return { exchange, error };
  if (status >= 400) return { exchange, problem: `HTTP ${status} without an error of A2A` };
  if (isRpc && !("result" in members)) return { exchange, problem: "JSON without a result" };
  const raw = isRpc ? members.result : json;
  try {
    const value = encoding ? encoding.decodeResult(operation, raw) : dialect.decodeResult(operation, raw);
    return { exchange, raw, value };
  } catch (thrown) {
    if (!(thrown instanceof A2AError)) throw thrown;
    return { exchange, raw, problem: `the result is not what ${operation} answers: ${thrown.message}` };
  }
}

/** What an answer came to, in a few words. */
export function told(answer: Answer<unknown>): string {
  if (answer.problem !== undefined) return answer.problem;
  if (answer.error) {
    const { status } = answer.exchange;
    const code = answer.code === undefined ? (status === 0 ? "gRPC" : `HTTP ${status}`) : String(answer.code);
    return `${code} (${answer.error.kind}: ${answer.error.message.slice(0, 120)})`;
  }
  return "a result";
}

function asText(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}
