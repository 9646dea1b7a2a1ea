import { definedMembers } from "@parley/a2a";
import { withEntry } from "./persistent-map.ts";
import type { EventOf, PlanStep, SessionEvent, StoredFile } from "./session-event.ts";

export type RunStatus = "running" | "waiting" | "completed" | "failed" | "cancelled";

/** What a run has said in one artifact so far. */
interface Text {
  readonly channel: string;
  readonly text: string;
  readonly name?: string;
}

/** A run of an agent in a session. */
export interface Run extends Readonly<Omit<EventOf<"agent_start">, "type" | "runId">> {
  readonly id: string;
  readonly status: RunStatus;
  /** What was said so far, by artifact; the answer's alone becomes a message. */
  readonly texts: ReadonlyMap<string, Text>;
  readonly plan?: readonly PlanStep[];
  readonly reason?: string;
}

/** A question that waits for a person. */
export interface Approval {
  readonly id: string;
  readonly runId: string;
  readonly question: string;
  readonly request: EventOf<"approval_requested">;
  readonly answer?: EventOf<"approval_answered">;
}

/** A message of the session, in its order. */
export interface SessionMessage {
  readonly id: string;
  readonly index: number;
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly files?: readonly StoredFile[];
  /** Of an agent's message, the run that it came from; of a user's, the run that was under way and is told of it. */
  readonly runId?: string;
  readonly agent?: string;
  /** The run that answers it, once those before it have ended. */
  readonly waiting?: NonNullable<EventOf<"user_message">["waiting"]>;
  readonly editHistory?: readonly { readonly sessionId: string; readonly messageId: string }[];
}

/** A session, folded from its events; the same events always lead to the same state (invariant 11). */
export interface SessionState {
  readonly id: string;
  /** How many events it is made of. */
  readonly index: number;
  readonly workspace: string;
  readonly owner: string;
  readonly title: string;
  readonly titledBy: "creation" | "user" | "first exchange";
  readonly agent?: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly contextId?: string;
  readonly parent?: EventOf<"session_created">["parent"];
  readonly children: readonly { readonly id: string; readonly reason: string; readonly messages: number }[];
  readonly messages: readonly SessionMessage[];
  readonly runs: ReadonlyMap<string, Run>;
  readonly approvals: ReadonlyMap<string, Approval>;
  readonly openApprovals: ReadonlyMap<string, number>;
  /** What runs brought besides words, as it was last told: also runs of other sessions, whose answers a fork began with. */
  readonly artifacts: ReadonlyMap<string, ReadonlyMap<string, EventOf<"agent_artifact">>>;
  readonly status: "active" | "archived" | "deleted";
  /** Until when a deleted session can be restored. */
  readonly restorableUntil?: string;
}

/** The session before its first event. */
export function emptySession(id: string): SessionState {
  return {
    id,
    index: 0,
    workspace: "",
    owner: "",
    title: "",
    titledBy: "creation",
    config: {},
    children: [],
    messages: [],
    runs: new Map(),
    approvals: new Map(),
    openApprovals: new Map(),
    artifacts: new Map(),
    status: "active",
  };
}

/** Whether nothing can happen to the run any more: an end is never taken back (invariant 8). */
export function isEnded({ status }: Run): boolean {
  return status !== "running" && status !== "waiting";
}

/** The run that is under way, if one is: a session has at most one. */
export function activeRun({ runs }: Pick<SessionState, "runs">): Run | undefined {
  return [...runs.values()].find((run) => !isEnded(run));
}

/** The session one event later. Pure: nothing is changed in place. */
export function evolve(state: SessionState, event: SessionEvent): SessionState {
  return evolveAll(state, [event]);
}

/** The session some events later: pure too, and each event costs the same however long the session is. */
export function evolveAll(state: SessionState, events: readonly SessionEvent[]): SessionState {
  const own: OwnLists = new WeakSet();
  let after = state;
  for (const event of events) after = { ...applied(after, event, own), index: after.index + 1 };
  return after;
}

/** The lists that this fold has copied, to which it may add in place. */
type OwnLists = WeakSet<readonly unknown[]>;

function applied(state: SessionState, event: SessionEvent, own: OwnLists): SessionState {
  switch (event.type) {
    case "session_created": {
      const { workspace, owner, title, agent, config = {}, parent, contextId } = event;
      return {
        ...state,
        workspace,
        owner,
        title,
        config,
        ...definedMembers({ agent, parent, contextId }),
      };
    }
    case "session_renamed":
      return { ...state, title: event.title, titledBy: event.by };
    case "agent_switched":
      return { ...state, agent: event.agent };
    case "config_changed":
      return { ...state, config: event.config };
    case "user_message": {
      const { messageId: id, content, files, runId, waiting, editHistory } = event;
      const optional = definedMembers({ files, runId, waiting, editHistory });
      return withMessage(own, state, { id, role: "user", content, ...optional });
    }
    case "agent_message": {
      const { messageId: id, content, runId, agent } = event;
      return withMessage(own, state, { id, role: "assistant", content, runId, ...definedMembers({ agent }) });
    }
    case "agent_start": {
      const { type: _, runId, ...run } = event;
      return withRun(state, { ...run, id: runId, status: "running", texts: new Map() });
    }
    case "agent_token_start":
      return withText(state, event, (before) => ({
        channel: event.channel,
        text: event.restart ? "" : (before?.text ?? ""),
        ...(event.name !== undefined && { name: event.name }),
      }));
    case "agent_token":
      return withText(state, event, (before) => ({
        channel: "answer",
        ...before,
        text: (before?.text ?? "") + event.text,
      }));
    case "agent_plan":
      return changedRun(state, event.runId, { plan: event.steps });
    case "agent_artifact":
      return withArtifact(state, event);
    case "approval_requested": {
      const { approvalId: id, runId, question } = event;
      const waiting = changedRun(state, runId, { status: "waiting" });
      return withApproval(waiting, { id, runId, question, request: event });
    }
    case "approval_answered": {
      const asked = state.approvals.get(event.approvalId);
      const after = asked ? withApproval(state, { ...asked, answer: event }) : state;
      return changedRun(after, event.runId, {
        status: after.openApprovals.get(event.runId) ? "waiting" : "running",
      });
    }
    case "agent_complete":
      return ended(own, state, event, event.state);
    case "agent_cancelled":
      return ended(own, state, event, "cancelled");
    case "session_forked": {
      const { childId, reason, messages } = event;
      return { ...state, children: added(own, state.children, { id: childId, reason, messages }) };
    }
    case "session_archived":
      return { ...state, status: "archived" };
    case "session_restored": {
      const { restorableUntil: _, ...rest } = state;
      return { ...rest, status: "active" };
    }
    case "session_deleted":
      return { ...state, status: "deleted", restorableUntil: event.until };
    case "agent_status":
    case "agent_token_end":
    case "agent_tool_call":
    case "agent_tool_result":
    case "edit":
    case "fork":
      return state;
  }
}

function added<Item>(own: OwnLists, list: readonly Item[], item: Item): readonly Item[] {
  if (!own.has(list)) {
    const copy = [...list, item];
    own.add(copy);
    return copy;
  }
  (list as Item[]).push(item);
  return list;
}

function withMessage(
  own: OwnLists,
  state: SessionState,
  message: Omit<SessionMessage, "index">,
): SessionState {
  const { messages } = state;
  return { ...state, messages: added(own, messages, { ...message, index: messages.length }) };
}

function withArtifact(state: SessionState, event: EventOf<"agent_artifact">): SessionState {
  const { artifacts } = state;
  const ofRun = withEntry(artifacts.get(event.runId), event.artifactId, event);
  return { ...state, artifacts: withEntry(artifacts, event.runId, ofRun) };
}

function withApproval(state: SessionState, approval: Approval): SessionState {
  const before = state.approvals.get(approval.id);
  let open = state.openApprovals;
  if (before && !before.answer) open = withEntry(open, before.runId, (open.get(before.runId) ?? 0) - 1);
  if (!approval.answer) open = withEntry(open, approval.runId, (open.get(approval.runId) ?? 0) + 1);
  return { ...state, approvals: withEntry(state.approvals, approval.id, approval), openApprovals: open };
}

function withRun(state: SessionState, run: Run): SessionState {
  return { ...state, runs: withEntry(state.runs, run.id, run) };
}

function changedRun(state: SessionState, runId: string, change: Partial<Run>): SessionState {
  const run = state.runs.get(runId);
  return run && !isEnded(run) ? withRun(state, { ...run, ...change }) : state;
}

function withText(
  state: SessionState,
  { runId, artifactId }: EventOf<"agent_token"> | EventOf<"agent_token_start">,
  change: (before: Text | undefined) => Text,
): SessionState {
  const run = state.runs.get(runId);
  if (!run) return state;
  const { texts } = run;
  return withRun(state, { ...run, texts: withEntry(texts, artifactId, change(texts.get(artifactId))) });
}

function ended(
  own: OwnLists,
  state: SessionState,
  event: EventOf<"agent_complete"> | EventOf<"agent_cancelled">,
  status: RunStatus,
): SessionState {
  const { runId, messageId, content, reason } = event;
  const run = state.runs.get(runId);
  if (!run || isEnded(run)) return state;
  const after = changedRun(state, runId, { status, ...definedMembers({ reason }) });
  if (messageId === undefined) return after;
  const agent = (event.type === "agent_complete" ? event.agent : undefined) ?? run.agent;
  return withMessage(own, after, { id: messageId, role: "assistant", content, runId, agent });
}
