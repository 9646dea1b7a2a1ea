import type { AgentEndpoint } from "../../cards/card-endpoints.ts";
import type {
  Operation,
  OperationRequests,
  OperationResults,
  TaskNames,
  UnaryOperation,
} from "../../dialects/dialect.ts";
import { type EgressLimits, type EgressPolicy, streamLimits } from "../../egress/egress-policy.ts";
import type { StreamResponse } from "../../protocol/model.ts";
import type { ClientObserver } from "../client-observer.ts";
import type { ClientLimits } from "../client-options.ts";

export type StreamOperation = "stream" | "subscribe";

/** What goes with a call beside its request. */
export interface TransportCall {
  readonly headers: Readonly<Record<string, string>>;
  /** Credentials that belong into the query. */
  readonly query?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface StreamCall extends TransportCall {
  readonly lastEventId?: string | undefined;
  readonly task?: TaskNames;
}

/** What one frame of a stream stands for, and the cursor that it brings. */
export interface StreamFrame {
  readonly id?: string;
  readonly events: readonly StreamResponse[];
}

/**
 * Carries the operations to one endpoint. It throws A2AError for the agent's errors, and the client's own
 * errors for what goes wrong on the way.
 */
export interface Transport {
  call<O extends UnaryOperation>(
    operation: O,
    request: OperationRequests[O],
    call: TransportCall,
  ): Promise<OperationResults[O]>;
  /** Opens the stream when its first frame is requested, and closes it when the reader stops or the signal aborts. */
  open<O extends StreamOperation>(
    operation: O,
    request: OperationRequests[O],
    call: StreamCall,
  ): AsyncIterable<StreamFrame>;
}

export interface TransportSettings {
  readonly policy: EgressPolicy;
  readonly limits: ClientLimits;
  readonly observer: ClientObserver;
}

/** A transport for the endpoints that it can speak to; undefined for the others. */
export type TransportFactory = (
  endpoint: AgentEndpoint,
  settings: TransportSettings,
) => Transport | undefined;

/** The origin of an endpoint, or the host and port of one that is written without a scheme, as for gRPC. */
export function endpointOrigin(url: string): string {
  return /^https?:/i.test(url) ? new URL(url).origin : url;
}

/** The limits of an operation: a stream may last forever, but never be idle for long. */
export function limitsOf(
  operation: Operation,
  { answer, read, answerBytes, idle }: ClientLimits,
): Partial<EgressLimits> {
  if (isStream(operation)) return { ...streamLimits, headers: idle, idle };
  const total = operation === "send" ? answer : read;
  return { headers: total, idle: total, total, responseBytes: answerBytes };
}

export function isStream(operation: Operation): boolean {
  return operation === "stream" || operation === "subscribe";
}
