import { createHash } from "node:crypto";
import { definedMembers } from "@parley/a2a";
import type { RunRequest } from "./session-command.ts";
import { configurationIn } from "./session-configuration.ts";
import type { EventOf, SessionEvent } from "./session-event.ts";
import { evolve, type SessionMessage, type SessionState } from "./session-state.ts";

const SNAPSHOT_MESSAGES = 100;

/** The start of a run that answers this message. */
export function started(
  state: SessionState,
  messageId: string,
  { thinking = configurationIn(state.config).thinking === true, ...run }: RunRequest,
  retryOf?: string,
): EventOf<"agent_start"> {
  const inputSnapshotHash = snapshotHash(snapshotOf(state.messages, messageId));
  const optional = definedMembers({ retryOf, thinking: thinking || undefined });
  return { type: "agent_start", ...run, messageId, inputSnapshotHash, ...optional };
}

/** The start of the waiting run whose turn it is, now that the one before has ended. */
export function nextRun(state: SessionState): EventOf<"agent_start"> | undefined {
  const message = state.messages.find(({ waiting }) => waiting && !state.runs.has(waiting.runId));
  return message?.waiting && started(state, message.id, message.waiting);
}

/** Cancels a run, and starts the one that waits for its turn. */
export function cancelled(state: SessionState, runId: string, reason: string): readonly SessionEvent[] {
  const end = cancellation(state, runId, reason);
  const next = nextRun(evolve(state, end));
  return next ? [end, next] : [end];
}

/** Cancels a run, with the answer up to then. */
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

/** The messages that a run's agent sees: the last ones, up to and including the one that it answers. */
export function snapshotOf(
  messages: readonly SessionMessage[],
  messageId: string,
): readonly SessionMessage[] {
  const at = messages.findIndex(({ id }) => id === messageId);
  const until = at < 0 ? messages.length : at + 1;
  return messages.slice(Math.max(0, until - SNAPSHOT_MESSAGES), until);
}

/** The same messages have the same hash, whatever the session. */
export function snapshotHash(messages: readonly SessionMessage[]): string {
  const told = messages.map(({ role, content, files = [] }) => [
    role,
    content,
    files.map(({ blob }) => blob),
  ]);
  return createHash("sha256").update(JSON.stringify(told)).digest("hex");
}
