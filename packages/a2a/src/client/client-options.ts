import type { BackoffPolicy } from "@parley/journal";
import type { AgentEndpoint } from "../cards/card-endpoints.ts";
import type { CardTrust } from "../cards/trusted-keys.ts";
import type { EgressPolicy } from "../egress/egress-policy.ts";
import type { AgentCards } from "./agent-cards.ts";
import type { ClientObserver } from "./client-observer.ts";
import type { Credentials } from "./credentials.ts";
import type { TransportFactory } from "./transports/transport.ts";

export interface CallOptions {
  /** Closes the connection; the agent's task continues, and ends only by `cancel`. */
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
  /** The caller's trace context, passed on to the agent. */
  readonly traceparent?: string | undefined;
}

export interface SubscribeOptions extends CallOptions {
  /** The cursor of the last event that was seen, in whatever process. */
  readonly after?: string;
}

/** How often a request is repeated after it failed, and how long the pauses are. */
export interface RetryPolicy extends BackoffPolicy {
  /** Further tries after the first. */
  readonly tries: number;
}

/** Timeouts, sizes and retries of a client. */
export interface ClientLimits {
  /** Milliseconds for a card, and the bytes that it may have. */
  readonly card: number;
  readonly cardBytes: number;
  /** Milliseconds for the answer to a message: `send` waits for the whole task. */
  readonly answer: number;
  /** Milliseconds for every other answer. */
  readonly read: number;
  readonly answerBytes: number;
  /** Milliseconds without a byte, heartbeats included, after which a stream counts as dropped. */
  readonly idle: number;
  readonly eventCharacters: number;
  /** Milliseconds for which a stream is listened to after its end, to notice what comes too late. */
  readonly late: number;
  /** Milliseconds between two looks at a task that cannot be streamed: the first, and the longest. */
  readonly poll: Pick<BackoffPolicy, "firstDelayMs" | "maxDelayMs">;
  /** Milliseconds for which a task may be in an unknown state. */
  readonly unknownState: number;
  readonly retry: RetryPolicy;
  /** The tries start over after each success. */
  readonly reconnect: RetryPolicy;
}

export const defaultClientLimits: ClientLimits = {
  card: 10_000,
  cardBytes: 1_048_576,
  answer: 300_000,
  read: 30_000,
  answerBytes: 16_777_216,
  idle: 60_000,
  eventCharacters: 4_194_304,
  late: 100,
  poll: { firstDelayMs: 250, maxDelayMs: 5_000 },
  unknownState: 60_000,
  retry: { tries: 4, firstDelayMs: 200, maxDelayMs: 5_000 },
  reconnect: { tries: 8, firstDelayMs: 100, maxDelayMs: 10_000 },
};
