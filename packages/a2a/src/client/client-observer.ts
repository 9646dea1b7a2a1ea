import type { AgentEndpoint } from "../cards/card-endpoints.ts";
import type { Operation } from "../dialects/dialect.ts";

export interface RetryFact {
  readonly operation: Operation | "card";
  readonly attempt: number;
  readonly delay: number;
  readonly error: unknown;
}

/** A stream that is taken up again: by its cursor, or from a snapshot where the agent has no cursors. */
export interface ReconnectFact {
  readonly taskId: string;
  readonly attempt: number;
  readonly by: "cursor" | "snapshot";
  readonly error: unknown;
}

export interface ArtifactFact {
  readonly taskId: string;
  readonly artifactId: string;
}

/** Observes retries, reconnects and peers' deviations, for logs and metrics. */
export interface ClientObserver {
  retrying(fact: RetryFact): void;
  reconnecting(fact: ReconnectFact): void;
  /** The agent does not speak what its card claims; the next way is used from now on. */
  fellBack(from: AgentEndpoint, to: AgentEndpoint): void;
  /** The card declares streams, and the agent answered without one. */
  notStreamed(origin: string): void;
  /** What came in a stream is no A2A, or too large: the stream was given up. */
  unreadable(origin: string): void;
  artifactRepaired(fact: ArtifactFact): void;
  /** The first piece of an artifact claimed to append to it. */
  appendViolation(fact: ArtifactFact): void;
  /** An event came after the task's end and was dropped. */
  lateEvent(taskId: string): void;
  /** An event of another task came in this one's stream and was dropped. */
  foreignEvent(taskId: string): void;
  /** A piece came again after a reconnect and was dropped. */
  repeatedPiece(fact: ArtifactFact): void;
  /** What was yielded does not agree with the agent's own record, which replaced it. */
  replaced(fact: ArtifactFact): void;
}

/** Ignores everything. */
export const silentClientObserver: ClientObserver = {
  retrying() {},
  reconnecting() {},
  fellBack() {},
  notStreamed() {},
  unreadable() {},
  artifactRepaired() {},
  appendViolation() {},
  lateEvent() {},
  foreignEvent() {},
  repeatedPiece() {},
  replaced() {},
};
