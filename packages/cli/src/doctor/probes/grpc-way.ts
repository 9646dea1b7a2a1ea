import type { AgentEndpoint } from "@parley/a2a";
import {
  A2A_ERRORS,
  A2AError,
  AuthenticationRequiredError,
  defaultClientLimits,
  type Operation,
  type OperationRequests,
  type OperationResults,
  type UnaryOperation,
} from "@parley/a2a/checks";
import type { Examination } from "../examination.ts";
import type { Exchange, TimedFrame, WireRequest, WireStream } from "../exchange.ts";
import type { Answer, Departure, Way } from "./way.ts";

interface Asked<O extends Operation> extends Pick<Departure, "headers"> {
  readonly operation: O;
  readonly request: OperationRequests[O];
}

/** The address of an endpoint as a URL: gRPC's are also written as host and port alone. */
export function placeOfEndpoint({ url }: Pick<AgentEndpoint, "url">): URL {
  return new URL(/^https?:/i.test(url) ? url : `http://${url}`);
}

/** Asks for an operation with one answer; never throws but for what ends the examination. */
export async function askByGrpc<O extends UnaryOperation>(
  { wire, options }: Examination,
  way: Way,
  asked: Asked<O>,
): Promise<Answer<OperationResults[O]>> {
  const call = begun({ wire, options }, way, asked);
  // The library is loaded only for those who speak gRPC.
  const { grpcAnswer, readGrpcAnswer } = await import("@parley/a2a/grpc");
  let raw: unknown;
  try {
    raw = await grpcAnswer(call.question, call, call);
  } catch (error) {
    return refusal(error, failedExchange(wire, call, error));
  }
  const exchange = withJson(wire.noted(call.noted, { text: JSON.stringify(raw), start: call.start }), 200);
  try {
    return { exchange, raw, value: readGrpcAnswer(call.question, raw) };
  } catch (error) {
    if (!(error instanceof A2AError)) throw error;
    const problem = `the result is not what ${asked.operation} answers: ${error.message}`;
    return { exchange, raw, problem };
  }
}

/** Asks for a stream, each of whose messages is a frame with the JSON of its event. */
export async function openByGrpc<O extends "stream" | "subscribe">(
  { wire, options }: Examination,
  way: Way,
  asked: Asked<O> & { readonly take: (frame: TimedFrame) => "enough" | undefined },
): Promise<WireStream> {
  const call = begun({ wire, options }, way, asked);
  const { grpcEvents } = await import("@parley/a2a/grpc");
  let [text, bytes, frames] = ["", 0, 0];
  const ended = (end: WireStream["end"], error?: unknown): WireStream => {
    const seen =
      error === undefined || frames > 0
        ? wire.noted(call.noted, { text, start: call.start })
        : failedExchange(wire, call, error);
    const failure = error instanceof Error ? { failure: error.message } : {};
    const refused = error instanceof A2AError && frames === 0 ? { error } : {};
    const contentType = error === undefined || frames > 0 ? GRPC_TYPE : "";
    return {
      ...withJson(seen, seen.status || 200),
      contentType,
      ...failure,
      ...refused,
      request: call.noted,
      end,
      bytes,
    };
  };
  try {
    for await (const event of grpcEvents(call.question, call, call)) {
      const data = JSON.stringify(event);
      frames++;
      bytes += data.length;
      if (text.length < 20_000) text += `${data}\n`;
      const time = performance.now() - call.start;
      if (asked.take({ id: undefined, data, size: data.length, time }) === "enough") return ended("left");
    }
    return ended("closed");
  } catch (error) {
    if (options.signal.aborted) throw error;
    const isLate = performance.now() - call.start >= options.timeout - 20;
    return ended(isLate ? "too long" : "broken", error);
  }
}

export const GRPC_TYPE = "application/grpc";

function begun<O extends Operation>(
  { wire, options }: Pick<Examination, "wire" | "options">,
  { endpoint }: Way,
  { operation, request, headers = {} }: Asked<O>,
) {
  const { url, dialect, tenant } = endpoint;
  if (dialect === "0.1") throw new Error("There is no gRPC in 0.1");
  const place = placeOfEndpoint(endpoint);
  const allowed = wire.allowed(place);
  const version = dialect === "1.0" ? { "a2a-version": "1.0" } : {};
  const said = { ...version, ...headers };
  const { timeout } = options;
  const noted: WireRequest = {
    url: new URL(`/${operation}`, place).href,
    headers: said,
    body: JSON.stringify(request),
  };
  return {
    question: { url, dialect, operation, request: { ...request, ...(tenant && { tenant }) } },
    noted,
    start: performance.now(),
    headers: { ...said, ...allowed.headers },
    signal: allowed.signal,
    policy: { allowOrigins: [place.origin] },
    limits: { ...defaultClientLimits, read: timeout, answer: timeout, idle: timeout },
  };
}

function failedExchange(
  wire: Examination["wire"],
  { noted, start }: { readonly noted: WireRequest; readonly start: number },
  error: unknown,
): Exchange {
  if (!(error instanceof A2AError)) {
    const exchange = wire.noted(noted, { text: "", start, error });
    return error instanceof AuthenticationRequiredError ? { ...exchange, status: error.status } : exchange;
  }
  const { kind, message } = error;
  return wire.noted(noted, { text: JSON.stringify({ code: A2A_ERRORS[kind].code, kind, message }), start });
}

function refusal<T>(error: unknown, exchange: Exchange): Answer<T> {
  if (error instanceof A2AError) return { exchange: { ...exchange, status: 0 }, error };
  return { exchange, problem: exchange.failure ?? String(error) };
}

function withJson(exchange: Exchange, status: number): Exchange {
  return { ...exchange, status, contentType: GRPC_TYPE };
}
