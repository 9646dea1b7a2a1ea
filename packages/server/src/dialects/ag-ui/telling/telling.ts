import type { Event } from "@ag-ui/core";

/** Where the parts of a run's telling put their events. */
export interface Telling {
  tell(event: Event): void;
  /** Tells all messages anew, because what the client has of one of them does not hold any more. */
  retell(): void;
}

/** Whose work something is: the sub-agent's invocation, or nothing for the agent that runs. */
export interface Whose {
  readonly subagentRunId?: string;
}
