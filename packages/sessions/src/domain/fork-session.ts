import { definedMembers } from "@parley/a2a";
import { cancelled, started } from "./run-events.ts";
import {
  type AskedMessage,
  CommandRefusedError,
  type ForkPoint,
  type ForkRequest,
  type RunRequest,
  type SessionCommand,
  type ToldMessage,
} from "./session-command.ts";
import type { Decision, EventOf, NewSession, SessionEvent } from "./session-event.ts";
import {
  activeRun,
  emptySession,
  evolveAll,
  type SessionMessage,
  type SessionState,
} from "./session-state.ts";

/** Forks with the edit in the message's place, and a run that answers it. */
export function forkForEdit(
  state: SessionState,
  { messageId, content, fork, run }: Extract<SessionCommand, { type: "edit" }>,
): Decision {
  const at = state.messages.findIndex(({ id }) => id === messageId);
  const message = state.messages[at];
  if (!message) throw new CommandRefusedError("not_found", `There is no message ${messageId}`);
  if (message.role !== "user")
    throw new CommandRefusedError("invalid", "Only messages of the user can be edited");
  const kept = state.messages.slice(0, at);
  const { events, child } = forkSession(state, { kept, fork, reason: "user_edit", past: state });
  const editHistory = [...(message.editHistory ?? []), { sessionId: state.id, messageId }];
  const edit = asUserMessage({ ...message, content, editHistory }, `${fork.childId}-edit`);
  return {
    events: [{ type: "edit", messageId, content, childId: fork.childId }, ...events],
    children: [answered(child, edit, run)],
  };
}

/** Forks at a point, with what goes on there. */
export function forkAt(
  state: SessionState,
  { at: place, fork, told = [], ask }: Extract<SessionCommand, { type: "fork" }>,
  at: (eventIndex: number) => SessionState,
): Decision {
  const isPast = typeof place === "object" && "eventIndex" in place;
  const past = isPast ? at(place.eventIndex) : state;
  // Before its first event a session has no owner, and the fork would have none either.
  if (isPast && (past.index !== place.eventIndex || past.index < 1))
    throw new CommandRefusedError("invalid", `The session has the events 1 to ${state.index}`);
  const kept = past.messages.slice(0, messagesBefore(past, place));
  const { events, child: begun } = forkSession(state, { kept, fork, reason: "branch", past });
  const child = { ...begun, events: [...begun.events, ...toldMessages(begun.id, told)] };
  return { events, children: [ask ? asked(child, ask) : child] };
}

function messagesBefore({ messages }: SessionState, place: ForkPoint): number {
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

/** Forks the session as it is, once for each agent. */
export function forkPerAgent(
  state: SessionState,
  { branches }: Extract<SessionCommand, { type: "compare" }>,
): Decision {
  const forks = branches.map(({ fork, ask }) => {
    const past = { ...state, agent: ask.run.agent };
    const { events, child } = forkSession(state, { kept: state.messages, fork, reason: "branch", past });
    return { events, child: asked(child, ask) };
  });
  return { events: forks.flatMap(({ events }) => events), children: forks.map(({ child }) => child) };
}

/** The new session with a message that continues it. */
function asked(child: NewSession, { messageId, run, ...message }: AskedMessage): NewSession {
  return answered(child, asUserMessage(message, messageId), run);
}

/** Forks before the message that a run answered, with another run on the same snapshot. */
export function forkForRetry(
  state: SessionState,
  { runId, fork, run }: Extract<SessionCommand, { type: "retry" }>,
): Decision {
  const before = state.runs.get(runId);
  const at = state.messages.findIndex(({ id }) => id === before?.messageId);
  const message = state.messages[at];
  if (!before || !message) throw new CommandRefusedError("not_found", `There is no run ${runId}`);
  const kept = state.messages.slice(0, at);
  const { events, child } = forkSession(state, { kept, fork, reason: "retry", past: state });
  return { events, children: [answered(child, asUserMessage(message, message.id), run, runId)] };
}

/** The new session with a message that continues it, and the run that answers that message. */
function answered(
  child: NewSession,
  message: EventOf<"user_message">,
  run: RunRequest,
  retryOf?: string,
): NewSession {
  const events = [...child.events, message];
  const state = evolveAll(emptySession(child.id), events);
  return { id: child.id, events: [...events, started(state, message.messageId, run, retryOf)] };
}

interface ForkOptions {
  /** The messages that the fork begins with. */
  readonly kept: readonly SessionMessage[];
  readonly fork: ForkRequest;
  readonly reason: EventOf<"session_forked">["reason"];
  /** The session as it was at the fork. */
  readonly past: SessionState;
}

/** Forks a session: what is recorded in it, and what the new one begins with. */
function forkSession(
  state: SessionState,
  { kept, fork, reason, past }: ForkOptions,
): { readonly events: readonly SessionEvent[]; readonly child: NewSession } {
  const { childId, title, orphan = false } = fork;
  const messages = kept.length;
  const run = activeRun(state);
  const isLeft = reason === "user_edit" && run !== undefined && !orphan;
  const end = isLeft ? cancelled(state, run.id, "The message was edited: the session goes on in a fork") : [];
  const { workspace, owner, agent, config } = past;
  const files = new Map(past.artifacts);
  const parent = { sessionId: state.id, messages, eventIndex: past.index, reason };
  return {
    events: [...end, { type: "session_forked", childId, reason, messages }],
    child: {
      id: childId,
      events: [
        {
          type: "session_created",
          workspace,
          owner,
          title: title ?? state.title,
          config: { ...config },
          parent,
          ...definedMembers({ agent }),
        },
        ...kept.flatMap((message) => [copied(message), ...broughtWith(message, files)]),
        { type: "fork", parentId: state.id, messages },
      ],
    },
  };
}

function copied(message: SessionMessage): SessionEvent {
  const { id, content, runId = "", agent } = message;
  if (message.role === "user") return asUserMessage(message, id);
  return { type: "agent_message", messageId: id, content, runId, ...definedMembers({ agent }) };
}

/** The latest artifacts of an answer's run; of several answers of one run, the first one gets them. */
function broughtWith(
  { role, runId = "" }: SessionMessage,
  left: Map<string, ReadonlyMap<string, EventOf<"agent_artifact">>>,
): readonly SessionEvent[] {
  if (role === "user") return [];
  const brought = [...(left.get(runId)?.values() ?? [])];
  left.delete(runId);
  return brought.filter(({ parts }) => parts.length > 0);
}

interface UserContent {
  readonly content: string;
  readonly files?: SessionMessage["files"] | undefined;
  readonly editHistory?: SessionMessage["editHistory"] | undefined;
}

function asUserMessage(
  { content, files, editHistory }: UserContent,
  messageId: string,
): EventOf<"user_message"> {
  const optional = definedMembers({
    files: files && [...files],
    editHistory: editHistory && [...editHistory],
  });
  return { type: "user_message", messageId, content, ...optional };
}

/** Messages of a client's own history, as events of the session that continues from them. */
export function toldMessages(sessionId: string, messages: readonly ToldMessage[]): readonly SessionEvent[] {
  return messages.map(({ id, role, content, files }, place): SessionEvent => {
    const messageId = id ?? `${sessionId}-told-${place}`;
    // The agent that said it is unknown.
    if (role === "assistant")
      return { type: "agent_message", messageId, content, runId: `${sessionId}-told` };
    return asUserMessage({ content, files }, messageId);
  });
}
