import type { Event } from "@ag-ui/core";

/** Where the parts of a run's encoder put their events. */
export interface EventSink {
  emit(event: Event): void;
  /** Sends all messages again, because the client's version of one of them is no longer valid. */
  emitMessages(): void;
}

/** Whose work something is: the sub-agent's invocation, or nothing for the agent that runs. */
export interface Whose {
  readonly subagentRunId?: string;
}
