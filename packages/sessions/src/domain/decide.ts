import {
  type AskedMessage,
  CommandRefusedError,
  type ForkPoint,
  type ForkRequest,
  type RunRequest,
  type SessionCommand,
} from "./session-command.ts";
import { configurationIn } from "./session-configuration.ts";
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

/** A session that begins with these events. */
interface NewSession {
  readonly id: string;
  readonly events: readonly SessionEvent[];
}

/** What a command leads to: events of the session, and those that forks of it begin with. */
export interface Decision {
  readonly events: readonly SessionEvent[];
  readonly children?: readonly NewSession[];
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
    case "compare":
      return compared(state, command);
    case "retry":
      return retried(state, command);
    case "cancelRun": {
      const run = state.runs.get(command.runId);
      if (!run) throw new CommandRefusedError("not_found", `There is no run ${command.runId}`);
      if (isEnded(run)) throw new CommandRefusedError("conflict", `The run has ended: ${run.status}`);
      return { events: cancelled(state, command.runId, command.reason ?? "The user cancelled it") };
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
    case "change":
      return { events: changes(command).flatMap((change) => decide(state, change).events) };
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
      const end = run ? [cancellation(state, run.id, "The session was deleted")] : [];
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

function changes(command: Extract<SessionCommand, { type: "change" }>): readonly SessionCommand[] {
  const { title, agent, config, archived, now } = command;
  return [
    ...(title !== undefined ? [{ type: "rename", title } as const] : []),
    ...(agent !== undefined ? [{ type: "switchAgent", agent } as const] : []),
    ...(config ? [{ type: "configure", config } as const] : []),
    ...(archived === true ? [{ type: "archive" } as const] : []),
    ...(archived === false ? [{ type: "restore", now } as const] : []),
  ];
}

/** To a run that is under way the message is passed on, unless it has one of its own, which waits; otherwise one begins. */
function posted(
  state: SessionState,
  command: Extract<SessionCommand, { type: "postMessage" }>,
): SessionEvent[] {
  const { messageId, content, files, run, hasBegun } = command;
  if (state.messages.some(({ id }) => id === messageId))
    throw new CommandRefusedError("conflict", `There is a message ${messageId} already`);
  const running = activeRun(state);
  const message: EventOf<"user_message"> = {
    ...{ type: "user_message", messageId, content },
    ...(files && { files: [...files] }),
    ...(running && (hasBegun ? { waiting: waitingRun(run) } : { runId: running.id })),
  };
  const woken: SessionEvent[] = state.status === "archived" ? [{ type: "session_restored" }] : [];
  if (running) return [...woken, message];
  return [...woken, message, started(evolve(state, message), messageId, run)];
}

function waitingRun({ thinking: _, ...run }: RunRequest): EventOf<"user_message">["waiting"] {
  return run;
}

function started(
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

function cancelled(state: SessionState, runId: string, reason: string): readonly SessionEvent[] {
  const end = cancellation(state, runId, reason);
  const next = nextRun(evolve(state, end));
  return next ? [end, next] : [end];
}

function cancellation(state: SessionState, runId: string, reason: string): EventOf<"agent_cancelled"> {
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
  const { events, child } = forked(state, {
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
    events: [{ type: "edit", messageId, content, childId: fork.childId }, ...events],
    children: [answered(child, edit, run)],
  };
}

function branched(
  state: SessionState,
  { at: place, fork, ask }: Extract<SessionCommand, { type: "fork" }>,
  at: (eventIndex: number) => SessionState,
): Decision {
  const isPast = typeof place === "object" && "eventIndex" in place;
  const past = isPast ? at(place.eventIndex) : state;
  // Before its first event a session is nobody's, and so would the fork be.
  if (isPast && (past.index !== place.eventIndex || past.index < 1))
    throw new CommandRefusedError("invalid", `The session has the events 1 to ${state.index}`);
  const kept = past.messages.slice(0, keptAt(past, place));
  const { events, child } = forked(state, { kept, fork, reason: "branch", past });
  return { events, children: [ask ? asked(child, ask) : child] };
}

function keptAt({ messages }: SessionState, place: ForkPoint): number {
  const all = messages.length;
  if (place === "end" || "eventIndex" in place) return all;
  if ("messageId" in place) {
    const at = messages.findIndex(({ id }) => id === place.messageId);
    if (at < 0) throw new CommandRefusedError("not_found", `There is no message ${place.messageId}`);
    return at + 1;
  }
  const { messages: kept } = place;
  if (Number.isInteger(kept) && kept >= 0 && kept <= all) return kept;
  throw new CommandRefusedError("invalid", `The session has ${all} messages`);
}

function compared(state: SessionState, { branches }: Extract<SessionCommand, { type: "compare" }>): Decision {
  const forks = branches.map(({ fork, ask }) => {
    const past = { ...state, agent: ask.run.agent };
    const { events, child } = forked(state, { kept: state.messages, fork, reason: "branch", past });
    return { events, child: asked(child, ask) };
  });
  return { events: forks.flatMap(({ events }) => events), children: forks.map(({ child }) => child) };
}

/** The new session, and a message that goes on there. */
function asked(child: NewSession, { messageId, content, files, run }: AskedMessage): NewSession {
  return answered(
    child,
    { type: "user_message", messageId, content, ...(files && { files: [...files] }) },
    run,
  );
}

function retried(
  state: SessionState,
  { runId, fork, run }: Extract<SessionCommand, { type: "retry" }>,
): Decision {
  const before = state.runs.get(runId);
  const at = state.messages.findIndex(({ id }) => id === before?.messageId);
  const message = state.messages[at];
  if (!before || !message) throw new CommandRefusedError("not_found", `There is no run ${runId}`);
  const kept = state.messages.slice(0, at);
  const { events, child } = forked(state, { kept, fork, reason: "retry", past: state });
  return { events, children: [answered(child, asUserMessage(message, message.id), run, runId)] };
}

/** A fork's beginning, the message that goes on from it, and the run that answers that. */
function answered(
  child: NewSession,
  message: EventOf<"user_message">,
  run: RunRequest,
  retryOf?: string,
): NewSession {
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

function forked(
  state: SessionState,
  { kept, fork, reason, past }: Forking,
): { readonly events: readonly SessionEvent[]; readonly child: NewSession } {
  const { childId, title, orphan = false } = fork;
  const messages = kept.length;
  const run = activeRun(state);
  const isLeft = reason === "user_edit" && run !== undefined && !orphan;
  const end = isLeft ? cancelled(state, run.id, "The message was edited: the session goes on in a fork") : [];
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
