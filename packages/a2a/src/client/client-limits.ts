import type { BackoffPolicy } from "@parley/journal";

/** How often a request is repeated after it failed, and how long the pauses are. */
export interface RetryPolicy extends BackoffPolicy {
  /** Further tries after the first. */
  readonly tries: number;
}

/** How long and how much the client waits for and takes. */
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
  /** Milliseconds for which a task may be in a state that nobody knows. */
  readonly unknownState: number;
  readonly retry: RetryPolicy;
  /** Tries are counted anew whenever something came of one. */
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
