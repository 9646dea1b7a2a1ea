import { z } from "zod";

const text = z.string();
const id = z.string().min(1);
const json = z.unknown();

/** Content too large for an event, or uploaded: stored once under its hash. */
const file = z.object({ name: text, mediaType: text, size: z.number(), blob: id });

const parent = z.object({
  sessionId: id,
  messages: z.int().nonnegative(),
  /** The parent's event up to which it was the same. */
  eventIndex: z.int().nonnegative(),
  reason: z.enum(["user_edit", "branch", "retry"]),
});

const message = z.object({ messageId: id, content: text, files: z.array(file).optional() });
const run = z.object({ runId: id });
/** What is known of a run before it begins. */
const begun = run.extend({ agent: text, agentUrl: text, contextId: id });
const piece = run.extend({ artifactId: id });
/** A use of a tool. Ids are an agent's own: which call is meant, all four say together. */
const call = run.extend({
  callId: id,
  /** Who makes it, below the agent that runs. */
  agent: text.optional(),
  /** The call by which that agent was asked, and its task, where they are known. */
  parentCallId: id.optional(),
  taskId: id.optional(),
});
const planStep = z.object({
  id,
  title: text,
  agent: text.optional(),
  dependencies: z.array(text),
  state: z.enum(["pending", "working", "waiting", "completed", "failed", "canceled", "skipped"]),
});

/**
 * Everything that can happen in a session: its record, which nobody changes (S4.22–23). A session is the fold of these;
 * the tables are projections of them, and what clients see is these very events.
 */
export const sessionEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("session_created"),
    workspace: id,
    owner: id,
    title: text,
    agent: text.optional(),
    config: z.record(z.string(), json).optional(),
    parent: parent.optional(),
    /** The A2A context that an outside caller knows it by. */
    contextId: text.optional(),
  }),
  z.object({ type: z.literal("session_renamed"), title: text, by: z.enum(["user", "first exchange"]) }),
  z.object({ type: z.literal("agent_switched"), agent: text }),
  z.object({ type: z.literal("config_changed"), config: z.record(z.string(), json) }),
  message.extend({
    type: z.literal("user_message"),
    /** The run that was under way and is told of it. */
    runId: id.optional(),
    /** The run that answers it, once those before it have ended: its agent is at work already. */
    waiting: begun.optional(),
    editHistory: z.array(z.object({ sessionId: id, messageId: id })).optional(),
  }),
  /** A message of an agent that a fork begins with; its run is the parent's. */
  message.extend({ type: z.literal("agent_message"), runId: id, agent: text.optional() }),
  begun.extend({
    type: z.literal("agent_start"),
    /** Of the messages that the agent was shown. */
    inputSnapshotHash: id,
    /** The user's message that it answers. */
    messageId: id,
    /** The run whose snapshot it repeats. */
    retryOf: id.optional(),
    /** Somebody asked for what the agent thinks to be kept too. */
    thinking: z.literal(true).optional(),
    /** The trace in which it was asked for: whoever carries it out goes on with that. */
    traceparent: text.optional(),
  }),
  run.extend({ type: z.literal("agent_status"), state: text, text: text.optional(), agent: text.optional() }),
  piece.extend({
    type: z.literal("agent_token_start"),
    name: text.optional(),
    /** Whose words these are, below the agent that runs, and the call by which that agent was asked. */
    agent: text.optional(),
    parentCallId: id.optional(),
    /** Whether this is the answer, or leads to it. */
    channel: z.enum(["answer", "branch", "plan", "thinking"]),
    /** All that was said in this artifact before is taken back. */
    restart: z.boolean().optional(),
  }),
  piece.extend({ type: z.literal("agent_token"), text }),
  piece.extend({ type: z.literal("agent_token_end") }),
  call.extend({ type: z.literal("agent_tool_call"), tool: text, arguments: json.optional() }),
  call.extend({
    type: z.literal("agent_tool_result"),
    outcome: z.enum(["succeeded", "failed", "canceled", "unknown"]),
    result: json.optional(),
    text: text.optional(),
    durationMs: z.number().optional(),
  }),
  run.extend({ type: z.literal("agent_plan"), steps: z.array(planStep) }),
  piece.extend({
    type: z.literal("agent_artifact"),
    name: text.optional(),
    parts: z.array(json),
    agent: text.optional(),
    parentCallId: id.optional(),
  }),
  run.extend({
    type: z.literal("approval_requested"),
    approvalId: id,
    question: text,
    agent: text.optional(),
    parentCallId: id.optional(),
    tool: text.optional(),
    arguments: json.optional(),
    argumentsHash: text.optional(),
  }),
  run.extend({
    type: z.literal("approval_answered"),
    approvalId: id,
    decision: z.enum(["approved", "denied", "answered"]),
    text: text.optional(),
    arguments: json.optional(),
    /** Nobody was asked: the session allows this tool always. */
    always: z.literal(true).optional(),
  }),
  run.extend({
    type: z.literal("agent_complete"),
    state: z.enum(["completed", "failed"]),
    /** The agent's message, where it said something. */
    messageId: id.optional(),
    content: text,
    /** Who answered, where another agent had to stand in. */
    agent: text.optional(),
    reason: text.optional(),
    usage: z.record(z.string(), json).optional(),
  }),
  run.extend({ type: z.literal("agent_cancelled"), messageId: id.optional(), content: text, reason: text }),
  /** A message was edited: what follows is in the fork. */
  z.object({ type: z.literal("edit"), messageId: id, content: text, childId: id }),
  /** In the new session: what it begins with ends here. */
  z.object({ type: z.literal("fork"), parentId: id, messages: z.int().nonnegative() }),
  /** In the old session: there is a fork of it now. */
  z.object({
    type: z.literal("session_forked"),
    childId: id,
    reason: z.enum(["user_edit", "branch", "retry"]),
    messages: z.int().nonnegative(),
  }),
  z.object({ type: z.literal("session_archived") }),
  z.object({ type: z.literal("session_restored") }),
  z.object({ type: z.literal("session_deleted"), until: text }),
]);

export type SessionEvent = z.infer<typeof sessionEvent>;
export type SessionEventType = SessionEvent["type"];
export type EventOf<Type extends SessionEventType> = Extract<SessionEvent, { type: Type }>;

/** Events that a session's list shows something of: whoever keeps a list is told of these, and its revision moves. */
export const LISTED: ReadonlySet<SessionEventType> = new Set([
  "session_created",
  "session_renamed",
  "agent_switched",
  "config_changed",
  "user_message",
  "agent_message",
  "agent_start",
  "approval_requested",
  "approval_answered",
  "agent_complete",
  "agent_cancelled",
  "session_forked",
  "session_archived",
  "session_restored",
  "session_deleted",
]);

/** What tells a call from all others of its run. */
export function callIdentity({
  callId,
  agent,
  parentCallId,
  taskId,
}: Omit<z.infer<typeof call>, "runId">): string {
  return JSON.stringify([agent, parentCallId, taskId, callId]);
}

export type PlanStep = z.infer<typeof planStep>;
export type StoredFile = z.infer<typeof file>;

/** A session that begins with these events. */
export interface NewSession {
  readonly id: string;
  readonly events: readonly SessionEvent[];
}

/** What a command leads to: events of the session, and those that forks of it begin with. */
export interface Decision {
  readonly events: readonly SessionEvent[];
  readonly children?: readonly NewSession[];
}
