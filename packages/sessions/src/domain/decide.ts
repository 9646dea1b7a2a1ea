import { definedMembers } from "@parley/a2a";
import { forkAt, forkForEdit, forkForRetry, forkPerAgent } from "./fork-session.ts";
import { cancellation, cancelled, started } from "./run-events.ts";
import { CommandRefusedError, type RunRequest, type SessionCommand } from "./session-command.ts";
import { configurationIn } from "./session-configuration.ts";
import type { Decision, EventOf, SessionEvent } from "./session-event.ts";
import { activeRun, evolve, isEnded, type SessionState } from "./session-state.ts";

/** The most tools a session can allow; beyond that the oldest ones are asked about again. */
const MAX_TOOLS = 200;

/** Decides a command on the current session; pure. `at` returns the session as it was at an event. */
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
      return single({ type: "session_renamed", title: command.title, by: command.by ?? "user" });
    case "postMessage":
      return { events: posted(state, command) };
    case "edit":
      return forkForEdit(state, command);
    case "fork":
      return forkAt(state, command, at);
    case "compare":
      return forkPerAgent(state, command);
    case "retry":
      return forkForRetry(state, command);
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
      const { approvalId, decision, text, arguments: given, always } = command;
      const answered: SessionEvent = {
        type: "approval_answered",
        runId: asked.runId,
        approvalId,
        decision,
        ...definedMembers({ text, arguments: given }),
      };
      const { agent = run.agent, tool } = asked.request;
      return { events: always ? [allowedAlways(state, { agent, tool }, decision), answered] : [answered] };
    }
    case "change":
      return { events: changes(command).flatMap((change) => decide(state, change).events) };
    case "switchAgent":
      return single({ type: "agent_switched", agent: command.agent });
    case "configure":
      return single({ type: "config_changed", config: { ...command.config } });
    case "archive":
      return state.status === "archived" ? { events: [] } : single({ type: "session_archived" });
    case "restore":
      return restored(state, command.now);
    case "delete": {
      const run = activeRun(state);
      const end = run ? [cancellation(state, run.id, "The session was deleted")] : [];
      return { events: [...end, { type: "session_deleted", until: command.until }] };
    }
  }
}

function single(event: SessionEvent): Decision {
  return { events: [event] };
}

function created(state: SessionState, command: Extract<SessionCommand, { type: "create" }>): SessionEvent {
  if (state.index > 0) throw new CommandRefusedError("conflict", `There is a session ${state.id} already`);
  const { workspace, owner, title = "", agent, config, contextId } = command;
  const optional = definedMembers({ agent, config: config && { ...config }, contextId });
  return { type: "session_created", workspace, owner, title, ...optional };
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

/** Passes the message on to the active run, or starts a run; one that has begun elsewhere waits for its turn. */
function posted(
  state: SessionState,
  command: Extract<SessionCommand, { type: "postMessage" }>,
): SessionEvent[] {
  const { messageId, content, files, run, hasBegun, after = state.messages.length } = command;
  if (state.messages.some(({ id }) => id === messageId))
    throw new CommandRefusedError("conflict", `There is a message ${messageId} already`);
  if (state.messages.length !== after)
    throw new CommandRefusedError("conflict", "The session has gone on: read it anew");
  const running = activeRun(state);
  const message: EventOf<"user_message"> = {
    type: "user_message",
    messageId,
    content,
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

function restored(state: SessionState, now: string): Decision {
  if (state.status === "active") return { events: [] };
  if (state.restorableUntil !== undefined && state.restorableUntil < now)
    throw new CommandRefusedError("gone", "The time in which the session could be restored is over");
  return single({ type: "session_restored" });
}

/** Allows a tool of an agent to be called without asking; the rest of the configuration stays. */
function allowedAlways(
  { config }: Pick<SessionState, "config">,
  { agent, tool }: { readonly agent: string; readonly tool: string | undefined },
  decision: EventOf<"approval_answered">["decision"],
): EventOf<"config_changed"> {
  if (tool === undefined || decision !== "approved")
    throw new CommandRefusedError(
      "invalid",
      "Only the use of a tool can be allowed always: leave `always` out",
    );
  const { allowedTools = [] } = configurationIn(config);
  const others = allowedTools.filter((one) => one.agent !== agent || one.tool !== tool);
  return {
    type: "config_changed",
    config: { ...config, allowedTools: [...others, { agent, tool }].slice(-MAX_TOOLS) },
  };
}
