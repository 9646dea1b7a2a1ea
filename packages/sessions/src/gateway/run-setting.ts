import type { Tracing } from "@parley/a2a";
import type { Journal } from "@parley/journal";
import type { Principal } from "../domain/session-command.ts";
import type { StoredFile } from "../domain/session-event.ts";
import type { OpenSession } from "../open-session.ts";
import type { AgentCalls } from "./agent-calls.ts";
import type { DispatchedRequests } from "./dispatched-requests.ts";
import type { LiveThoughts } from "./live-thoughts.ts";
import type { RunLimits } from "./run-limits.ts";

export interface RunReference {
  readonly sessionId: string;
  readonly runId: string;
}

/** What all runs of a gateway share. */
export interface RunSetting {
  readonly journal: Journal;
  readonly agents: AgentCalls;
  readonly limits: RunLimits;
  readonly observer: RunObserver;
  readonly thoughts: LiveThoughts;
  readonly dispatched: DispatchedRequests;
  readonly tracing: Tracing;
  session(sessionId: string): OpenSession;
  /** Records that a file that an agent sent belongs to the principal. */
  keepFile?(principal: Principal, file: StoredFile): Promise<void>;
}

/** Gets what happens to the gateway's runs; must not throw. */
export interface RunObserver {
  taken(run: RunReference, again: boolean): void;
  /** The agent's first event since the run was taken. */
  heard(run: RunReference): void;
  /** The agent could not be reached, and is called again. */
  retrying(run: RunReference, error: Error): void;
  /** The agent starts over from the same snapshot, or another one is called. */
  restarted(run: RunReference, reason: string): void;
  ended(run: RunReference, state: string): void;
  /** A message did not reach the agent; it is sent again, or answered by a further run. */
  undelivered(run: RunReference, error: Error): void;
  /** The run could not continue here; it is taken again later. */
  failed(run: RunReference, error: Error): void;
}

export const silentRunObserver: RunObserver = {
  taken() {},
  heard() {},
  retrying() {},
  restarted() {},
  ended() {},
  undelivered() {},
  failed() {},
};
