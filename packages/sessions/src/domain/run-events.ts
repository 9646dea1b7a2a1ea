import type { RunRequest } from "./session-command.ts";
import { configurationIn } from "./session-configuration.ts";
import type { EventOf, SessionEvent } from "./session-event.ts";
import { evolve, type SessionState } from "./session-state.ts";
import { snapshotHash, snapshotOf } from "./snapshot.ts";

/** The beginning of a run that answers this message. */
export function started(
  state: SessionState,
  messageId: string,
  { thinking = configurationIn(state.config).thinking === true, ...run }: RunRequest,
  retryOf?: string,
): EventOf<"agent_start"> {
  const inputSnapshotHash = snapshotHash(snapshotOf(state.messages, messageId));
  return {
    type: "agent_start",
    ...run,
    messageId,
    inputSnapshotHash,
    ...(retryOf !== undefined && { retryOf }),
    ...(thinking && { thinking }),
  };
}

/** The run whose agent is at work already, and whose turn it is now that the one before has ended. */
export function nextRun(state: SessionState): EventOf<"agent_start"> | undefined {
  const message = state.messages.find(({ waiting }) => waiting && !state.runs.has(waiting.runId));
  return message?.waiting && started(state, message.id, message.waiting);
}

/** The end of a run by a person, and what goes on then. */
export function cancelled(state: SessionState, runId: string, reason: string): readonly SessionEvent[] {
  const end = cancellation(state, runId, reason);
  const next = nextRun(evolve(state, end));
  return next ? [end, next] : [end];
}

/** The end of a run by a person alone, with what was said until then. */
export function cancellation(state: SessionState, runId: string, reason: string): EventOf<"agent_cancelled"> {
  const said = [...(state.runs.get(runId)?.texts.values() ?? [])].filter(
    ({ channel }) => channel === "answer",
  );
  const content = said.map(({ text }) => text).join("");
  return {
    type: "agent_cancelled",
    runId,
    reason,
    content,
    ...(content !== "" && { messageId: `${runId}-answer` }),
  };
}
