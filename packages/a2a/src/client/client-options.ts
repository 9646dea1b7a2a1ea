import type { AgentEndpoint } from "../cards/card-endpoints.ts";
import type { CardTrust } from "../cards/trusted-keys.ts";
import type { EgressPolicy } from "../egress/egress-policy.ts";
import type { AgentCards } from "./agent-cards.ts";
import type { ClientLimits } from "./client-limits.ts";
import type { ClientObserver } from "./client-observer.ts";
import type { Credentials } from "./credentials.ts";
import type { TransportFactory } from "./transports/transport.ts";

/** What every call takes. */
export interface CallOptions {
  /** Closes the connection; the task at the agent goes on, and ends only by `cancel`. */
  readonly signal?: AbortSignal;
  /** When to give up; AgentTimeoutError then. */
  readonly deadline?: Date;
}

export interface A2AClientOptions {
  /** What may be reached; every request goes through its guard. */
  readonly policy: EgressPolicy;
  readonly limits?: Partial<ClientLimits>;
  readonly observer?: ClientObserver;
  /** By the names that the card gives its security schemes. */
  readonly credentials?: Credentials;
  /** The extensions that the caller understands, beside our own. */
  readonly extensions?: readonly string[];
  /** Further transports; they are asked before our own. */
  readonly transports?: readonly TransportFactory[];
  /** The endpoints that may be used; all of them by default. */
  readonly accept?: (endpoint: AgentEndpoint) => boolean;
  /** Off: streams are taken up from the task's snapshot, although the agent gives cursors. */
  readonly resumeByCursor?: boolean;
}

export interface ConnectOptions extends A2AClientOptions, CallOptions {
  /** Shared by many clients, so that each card is fetched once. */
  readonly cards?: AgentCards;
  /** Takes only a card that one of these keys has signed. */
  readonly trust?: CardTrust;
}

export interface SendOptions extends CallOptions {
  /** The same key means the same message, to an agent that honours keys; a v0.1 task has it for its id. */
  readonly idempotencyKey?: string;
  /** The place in a trace from which it is asked; the agent is told of it. */
  readonly traceparent?: string | undefined;
}

export interface SubscribeOptions extends CallOptions {
  /** The cursor of the last event that was seen, in whatever process. */
  readonly after?: string;
}
