import {
  CommandRefusedError,
  type ForkRequest,
  type RunRequest,
  type SessionCommand,
} from "./session-command.ts";
import type { EventOf, SessionEvent } from "./session-event.ts";
import {
  activeRun,
  emptySession,
  evolve,
  isEnded,
  type SessionMessage,
  type SessionState,
} from "./session-state.ts";
import { snapshotHash, snapshotOf } from "./snapshot.ts";

/** What a command leads to: events of the session, and those that a fork of it begins with. */
export interface Decision {
  readonly events: readonly SessionEvent[];
  readonly child?: { readonly id: string; readonly events: readonly SessionEvent[] };
}

/** Decides a command on the session as it is; pure. `at` gives the session as it was at an event of its own. */
export function decide(
  state: SessionState,
  command: SessionCommand,
  at: (eventIndex: number) => SessionState = () => state,
): Decision {
  if (command.type === "create") return { events: [created(state, command)] };
  if (state.index === 0) throw new CommandRefusedError("not_found", `There is no session ${state.id}`);
  if (state.status === "deleted" && command.type !== "restore")
    throw new CommandRefusedError("gone", "The session was deleted: restore it first");
  switch (command.type) {
    case "rename":
      return only({ type: "session_renamed", title: command.title, by: command.by ?? "user" });
    case "postMessage":
      return { events: posted(state, command) };
    case "edit":
      return edited(state, command);
    case "fork":
      return branched(state, command, at);
    case "retry":
      return retried(state, command);
    case "cancelRun": {
      const run = state.runs.get(command.runId);
      if (!run) throw new CommandRefusedError("not_found", `There is no run ${command.runId}`);
      if (isEnded(run)) throw new CommandRefusedError("conflict", `The run has ended: ${run.status}`);
      return { events: [cancelled(state, command.runId, command.reason ?? "The user cancelled it")] };
    }
    case "answerApproval": {
      const asked = state.approvals.get(command.approvalId);
      if (!asked) throw new CommandRefusedError("not_found", `There is no approval ${command.approvalId}`);
      const run = state.runs.get(asked.runId);
      if (asked.answer || run?.status !== "waiting")
        throw new CommandRefusedError("conflict", "It was answered before, or its run has ended");
      const { approvalId, decision, text, arguments: given } = command;
      return only({
        ...{ type: "approval_answered", runId: asked.runId, approvalId, decision },
        ...(text !== undefined && { text }),
        ...(given !== undefined && { arguments: given }),
      });
    }
    case "switchAgent":
      return only({ type: "agent_switched", agent: command.agent });
    case "configure":
      return only({ type: "config_changed", config: { ...command.config } });
    case "archive":
      return state.status === "archived" ? { events: [] } : only({ type: "session_archived" });
    case "restore":
      return restored(state, command.now);
    case "delete": {
      const run = activeRun(state);
      const end = run ? [cancelled(state, run.id, "The session was deleted")] : [];
      return { events: [...end, { type: "session_deleted", until: command.until }] };
    }
  }
}

function only(event: SessionEvent): Decision {
  return { events: [event] };
}

function created(state: SessionState, command: Extract<SessionCommand, { type: "create" }>): SessionEvent {
  if (state.index > 0) throw new CommandRefusedError("conflict", `There is a session ${state.id} already`);
  const { workspace, owner, title = "", agent, config, contextId } = command;
  return {
    ...{ type: "session_created", workspace, owner, title },
    ...(agent !== undefined && { agent }),
    ...(config && { config: { ...config } }),
    ...(contextId !== undefined && { contextId }),
  };
}

/** To a run that is under way the message is passed on; otherwise one begins. */
function posted(
  state: SessionState,
  command: Extract<SessionCommand, { type: "postMessage" }>,
): SessionEvent[] {
  const { messageId, content, files, run, hasBegun } = command;
  if (state.messages.some(({ id }) => id === messageId))
    throw new CommandRefusedError("conflict", `There is a message ${messageId} already`);
  const running = activeRun(state);
  if (running && hasBegun)
    throw new CommandRefusedError(
      "conflict",
      `The run ${running.id} is under way: a session has one at a time`,
    );
  const message: EventOf<"user_message"> = {
    ...{ type: "user_message", messageId, content },
    ...(files && { files: [...files] }),
    ...(running && { runId: running.id }),
  };
  const woken: SessionEvent[] = state.status === "archived" ? [{ type: "session_restored" }] : [];
  if (running) return [...woken, message];
  return [...woken, message, started(evolve(state, message), messageId, run)];
}

function started(
  state: SessionState,
  messageId: string,
  run: RunRequest,
  retryOf?: string,
): EventOf<"agent_start"> {
  const inputSnapshotHash = snapshotHash(snapshotOf(state.messages, messageId));
  return {
    type: "agent_start",
    ...run,
    messageId,
    inputSnapshotHash,
    ...(retryOf !== undefined && { retryOf }),
  };
}

function cancelled(state: SessionState, runId: string, reason: string): EventOf<"agent_cancelled"> {
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

function edited(
  state: SessionState,
  { messageId, content, fork, run }: Extract<SessionCommand, { type: "edit" }>,
): Decision {
  const at = state.messages.findIndex(({ id }) => id === messageId);
  const message = state.messages[at];
  if (!message) throw new CommandRefusedError("not_found", `There is no message ${messageId}`);
  if (message.role !== "user")
    throw new CommandRefusedError("invalid", "Only messages of the user can be edited");
  const decision = forked(state, {
    kept: state.messages.slice(0, at),
    fork,
    reason: "user_edit",
    past: state,
  });
  const ancestors = [...(message.editHistory ?? []), { sessionId: state.id, messageId }];
  const edit: EventOf<"user_message"> = {
    ...{ type: "user_message", messageId: `${fork.childId}-edit`, content, editHistory: ancestors },
    ...(message.files && { files: [...message.files] }),
  };
  return {
    events: [{ type: "edit", messageId, content, childId: fork.childId }, ...decision.events],
    child: answered(decision, edit, run),
  };
}

function branched(
  state: SessionState,
  { at: place, fork }: Extract<SessionCommand, { type: "fork" }>,
  at: (eventIndex: number) => SessionState,
): Decision {
  const past = "eventIndex" in place ? at(place.eventIndex) : state;
  // Before its first event a session is nobody's, and so would the fork be.
  if ("eventIndex" in place && (past.index !== place.eventIndex || past.index < 1))
    throw new CommandRefusedError("invalid", `The session has the events 1 to ${state.index}`);
  const all = past.messages.length;
  const messages = "messages" in place ? place.messages : all;
  if (!Number.isInteger(messages) || messages < 0 || messages > all)
    throw new CommandRefusedError("invalid", `The session has ${all} messages`);
  return forked(state, { kept: past.messages.slice(0, messages), fork, reason: "branch", past });
}

function retried(
  state: SessionState,
  { runId, fork, run }: Extract<SessionCommand, { type: "retry" }>,
): Decision {
  const before = state.runs.get(runId);
  const at = state.messages.findIndex(({ id }) => id === before?.messageId);
  const message = state.messages[at];
  if (!before || !message) throw new CommandRefusedError("not_found", `There is no run ${runId}`);
  const decision = forked(state, { kept: state.messages.slice(0, at), fork, reason: "retry", past: state });
  return {
    events: decision.events,
    child: answered(decision, asUserMessage(message, message.id), run, runId),
  };
}

/** A fork's beginning, the message that goes on from it, and the run that answers that. */
function answered(
  { child }: Required<Pick<Decision, "child">>,
  message: EventOf<"user_message">,
  run: RunRequest,
  retryOf?: string,
): NonNullable<Decision["child"]> {
  const events = [...child.events, message];
  const state = events.reduce(evolve, emptySession(child.id));
  return { id: child.id, events: [...events, started(state, message.messageId, run, retryOf)] };
}

interface Forking {
  readonly kept: readonly SessionMessage[];
  readonly fork: ForkRequest;
  readonly reason: "user_edit" | "branch" | "retry";
  /** The session as it was where it is forked. */
  readonly past: SessionState;
}

function forked(state: SessionState, { kept, fork, reason, past }: Forking): Required<Decision> {
  const { childId, title, orphan = false } = fork;
  const messages = kept.length;
  const run = activeRun(state);
  const isLeft = reason === "user_edit" && run !== undefined && !orphan;
  const end = isLeft
    ? [cancelled(state, run.id, "The message was edited: the session goes on in a fork")]
    : [];
  const { workspace, owner, agent, config } = past;
  const parent = { sessionId: state.id, messages, eventIndex: past.index, reason };
  return {
    events: [...end, { type: "session_forked", childId, reason, messages }],
    child: {
      id: childId,
      events: [
        {
          ...{
            type: "session_created",
            workspace,
            owner,
            title: title ?? state.title,
            config: { ...config },
            parent,
          },
          ...(agent !== undefined && { agent }),
        },
        ...kept.map(copied),
        { type: "fork", parentId: state.id, messages },
      ],
    },
  };
}

function copied(message: SessionMessage): SessionEvent {
  const { id, content, runId = "", agent } = message;
  if (message.role === "user") return asUserMessage(message, id);
  return { type: "agent_message", messageId: id, content, runId, ...(agent !== undefined && { agent }) };
}

function asUserMessage(
  { content, files, editHistory }: SessionMessage,
  messageId: string,
): EventOf<"user_message"> {
  return {
    ...{ type: "user_message", messageId, content },
    ...(files && { files: [...files] }),
    ...(editHistory && { editHistory: [...editHistory] }),
  };
}

function restored(state: SessionState, now: string): Decision {
  if (state.status === "active") return { events: [] };
  if (state.restorableUntil !== undefined && state.restorableUntil < now)
    throw new CommandRefusedError("gone", "The time in which the session could be restored is over");
  return only({ type: "session_restored" });
}
