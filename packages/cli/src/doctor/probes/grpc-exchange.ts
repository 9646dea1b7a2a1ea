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
import type { Exchange, TimedFrame, WireRequest, WireStream } from "../exchange.ts";
import type { Wire } from "../wire.ts";
import type { Answer, Deviation, InterfaceProbe } from "./interface-probe.ts";

interface GrpcRequest<O extends Operation> extends Pick<Deviation, "headers"> {
  readonly operation: O;
  readonly request: OperationRequests[O];
}

/** The media type of responses over gRPC. */
export const GRPC_TYPE = "application/grpc";

/** The address of an endpoint as a URL; gRPC addresses may be just host and port. */
export function endpointAddress({ url }: Pick<AgentEndpoint, "url">): URL {
  return new URL(/^https?:/i.test(url) ? url : `http://${url}`);
}

/** Calls an operation that has one answer; throws only what ends the examination. */
export async function askByGrpc<O extends UnaryOperation>(
  probe: InterfaceProbe,
  asked: GrpcRequest<O>,
): Promise<Answer<OperationResults[O]>> {
  const { wire } = probe.examination;
  const call = grpcCall(probe, asked);
  // The library is loaded only for agents that speak gRPC.
  const { grpcAnswer, readGrpcAnswer } = await import("@parley/a2a/grpc");
  let raw: unknown;
  try {
    raw = await grpcAnswer(call.question, call, call);
  } catch (error) {
    const exchange = failedExchange(wire, call, error);
    if (error instanceof A2AError) return { exchange: { ...exchange, status: 0 }, error };
    return { exchange, problem: exchange.failure ?? String(error) };
  }
  const noted = wire.noted(call.sent, { text: JSON.stringify(raw), start: call.start });
  const exchange = { ...noted, status: 200, contentType: GRPC_TYPE };
  try {
    return { exchange, raw, value: readGrpcAnswer(call.question, raw) };
  } catch (error) {
    if (!(error instanceof A2AError)) throw error;
    return { exchange, raw, problem: `the result of ${asked.operation} is invalid: ${error.message}` };
  }
}

/** Opens a stream; each of its messages becomes a frame with the event's JSON. */
export async function openByGrpc<O extends "stream" | "subscribe">(
  probe: InterfaceProbe,
  asked: GrpcRequest<O> & { readonly take: (frame: TimedFrame) => "enough" | undefined },
): Promise<WireStream> {
  const { wire, options } = probe.examination;
  const call = grpcCall(probe, asked);
  const { grpcEvents } = await import("@parley/a2a/grpc");
  let [text, bytes, frames] = ["", 0, 0];
  const ended = (end: WireStream["end"], error?: unknown): WireStream => {
    const hasStarted = error === undefined || frames > 0;
    const seen = hasStarted
      ? wire.noted(call.sent, { text, start: call.start })
      : failedExchange(wire, call, error);
    return {
      ...seen,
      status: seen.status || 200,
      contentType: hasStarted ? GRPC_TYPE : "",
      ...(error instanceof Error && { failure: error.message }),
      ...(error instanceof A2AError && frames === 0 && { error }),
      request: call.sent,
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

function grpcCall<O extends Operation>(
  { examination: { wire, options }, endpoint }: InterfaceProbe,
  { operation, request, headers = {} }: GrpcRequest<O>,
) {
  const { url, dialect, tenant } = endpoint;
  if (dialect === "0.1") throw new Error("A2A 0.1 has no gRPC binding");
  const address = endpointAddress(endpoint);
  const allowed = wire.allowed(address);
  const ownHeaders = { ...(dialect === "1.0" && { "a2a-version": "1.0" }), ...headers };
  const { timeout } = options;
  const sent: WireRequest = {
    url: new URL(`/${operation}`, address).href,
    headers: ownHeaders,
    body: JSON.stringify(request),
  };
  return {
    question: { url, dialect, operation, request: { ...request, ...(tenant && { tenant }) } },
    sent,
    start: performance.now(),
    headers: { ...ownHeaders, ...allowed.headers },
    signal: allowed.signal,
    policy: { allowOrigins: [address.origin] },
    limits: { ...defaultClientLimits, read: timeout, answer: timeout, idle: timeout },
  };
}

function failedExchange(
  wire: Wire,
  { sent, start }: { readonly sent: WireRequest; readonly start: number },
  error: unknown,
): Exchange {
  if (!(error instanceof A2AError)) {
    const exchange = wire.noted(sent, { text: "", start, error });
    return error instanceof AuthenticationRequiredError ? { ...exchange, status: error.status } : exchange;
  }
  const { kind, message } = error;
  return wire.noted(sent, { text: JSON.stringify({ code: A2A_ERRORS[kind].code, kind, message }), start });
}
