import type { Journal } from "@parley/journal";
import type { OpenSession } from "../open-session.ts";
import type { AgentCalls } from "./agent-calls.ts";
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
  session(sessionId: string): OpenSession;
}
