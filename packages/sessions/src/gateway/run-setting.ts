import type { Tracing } from "@parley/a2a";
import type { Journal } from "@parley/journal";
import type { Principal } from "../domain/session-command.ts";
import type { StoredFile } from "../domain/session-event.ts";
import type { OpenSession } from "../open-session.ts";
import type { AgentCalls } from "./agent-calls.ts";
import type { DispatchedRequests } from "./dispatched-requests.ts";
import type { LiveThoughts } from "./live-thoughts.ts";
import type { RunLimits } from "./run-limits.ts";
import type { RunObserver } from "./run-observer.ts";

/** What all runs of a gateway share. */
export interface RunSetting {
  readonly journal: Journal;
  readonly agents: AgentCalls;
  readonly limits: RunLimits;
  readonly observer: RunObserver;
  /** Where what is thought and not kept is told. */
  readonly thoughts: LiveThoughts;
  readonly askings: DispatchedRequests;
  readonly tracing: Tracing;
  session(sessionId: string): OpenSession;
  /** A file that an agent sent is its user's from now on. */
  keepFile?(principal: Principal, file: StoredFile): Promise<void>;
}
