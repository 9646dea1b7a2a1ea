import type { ApiFile, Approval, DomainMessage, RunStatus, ToolCall } from "../api/api-types.ts";
import { definedFields } from "../api/defined-fields.ts";
import type { DomainEvent, DomainEventType, EventOf, EventPayloads } from "../api/domain-event.ts";
import { OwnParts } from "./own-parts.ts";
import {
  artifactsOf,
  type RecordedArtifact,
  type RecordedCall,
  type RunRecord,
  runOf,
  type SessionRecord,
  type StreamingText,
} from "./session-record.ts";

type Change<Type extends DomainEventType> = (
  record: SessionRecord,
  event: EventOf<Type>,
  own: OwnParts,
) => SessionRecord;

const unchanged = (record: SessionRecord) => record;

/** What each event does to a record. */
const CHANGES: { readonly [Type in DomainEventType]: Change<Type> } = {
  session_created: (record, { payload: { title, agent, config = {}, parent }, timestamp }) => ({
    ...record,
    title,
    config,
    createdAt: timestamp,
    ...definedFields({ agent, parentId: parent?.sessionId }),
  }),
  session_renamed: (record, { payload }) => ({ ...record, title: payload.title }),
  agent_switched: (record, { payload }) => ({ ...record, agent: payload.agent }),
  config_changed: (record, { payload }) => ({ ...record, config: payload.config }),
  user_message: (record, { payload, timestamp }, own) => {
    const { editHistory, runId } = payload;
    return withMessage(own, record, {
      id: payload.messageId,
      role: "user",
      content: payload.content,
      timestamp,
      metadata: {
        ...(runId && { agentRunId: runId }),
        ...(editHistory && { isEdited: true, editHistory }),
        ...filesOf(payload.files),
      },
    });
  },
  agent_message: (record, { payload, timestamp }, own) => {
    const { messageId: id, content, runId, agent, files } = payload;
    return withMessage(own, record, {
      id,
      role: "assistant",
      content,
      timestamp,
      metadata: { ...definedFields({ agentRunId: runId, agent }), ...filesOf(files) },
    });
  },
  agent_start: (record, { payload: { runId, ...payload }, timestamp, sessionId }, own) =>
    withRun(own, record, {
      ...payload,
      id: runId,
      sessionId,
      status: "running",
      startedAt: timestamp,
      texts: {},
      toolCalls: [],
    }),
  agent_status: (record, { payload: { runId, text } }, own) =>
    text === undefined ? record : changedRun(own, record, runId, () => ({ activity: text })),
  agent_token_start: (record, { payload: { channel, restart, name, agent, ...of } }, own) =>
    withText(own, record, of, (before) => ({
      channel,
      text: restart ? "" : (before?.text ?? ""),
      isOpen: true,
      ...definedFields({ name, agent }),
    })),
  agent_token: (record, { payload: { text, ...of } }, own) =>
    withText(own, record, of, (before) => ({
      channel: "answer",
      isOpen: true,
      ...before,
      text: (before?.text ?? "") + text,
    })),
  agent_token_end: (record, { payload }, own) =>
    withText(own, record, payload, (before) => ({ channel: "answer", text: "", ...before, isOpen: false })),
  agent_tool_call: (record, { payload, timestamp: startedAt }, own) => {
    const { runId, callId: id, tool: name, arguments: given, agent, parentCallId, taskId } = payload;
    const call = definedFields({ id, name, startedAt, agent, parentCallId, taskId, arguments: given });
    return changedRun(own, record, runId, ({ toolCalls }) => ({
      toolCalls: own.added<RecordedCall>(toolCalls, call, callKey),
    }));
  },
  agent_tool_result: (record, { payload }, own) => {
    const { runId, callId: id, outcome, durationMs, text, result = text } = payload;
    const end = definedFields({ outcome, result, durationMs });
    const key = callKey({ ...payload, id });
    return changedRun(own, record, runId, ({ toolCalls }) => ({
      toolCalls: own.changed<RecordedCall>(toolCalls, callKey, key, (call) => ({ ...call, ...end })),
    }));
  },
  agent_plan: (record, { payload: { runId, steps } }, own) =>
    changedRun(own, record, runId, () => ({ plan: steps })),
  agent_artifact: (record, { payload: { runId, artifactId, ...artifact } }, own) => {
    const artifacts = own.with<RecordedArtifact>(artifactsOf(record, runId), artifactId, artifact);
    if (runOf(record, runId)) return changedRun(own, record, runId, () => ({ artifacts }));
    return { ...record, inherited: own.with(record.inherited ?? {}, runId, artifacts) };
  },
  approval_requested: (record, { payload, timestamp, sessionId }, own) => {
    const { approvalId: id, runId, question, agent, tool, arguments: given } = payload;
    const asked = { id, sessionId, runId, question, requestedAt: timestamp };
    const approval = { ...asked, ...definedFields({ agent, tool, arguments: given }) };
    const waiting = changedRun(own, record, runId, () => ({ status: "waiting" }));
    return { ...waiting, approvals: withApproval(own, record.approvals, approval).approvals };
  },
  approval_answered: (record, { payload: { approvalId, runId, decision, ...answer }, timestamp }, own) => {
    const asked = record.approvals[approvalId];
    const answered = asked && { ...asked, decision, answer, answeredAt: timestamp };
    const { approvals, open } = withApproval(own, record.approvals, answered);
    const isOpen = (open.get(runId)?.size ?? 0) > 0;
    return {
      ...changedRun(own, record, runId, () => ({ status: isOpen ? "waiting" : "running" })),
      approvals,
    };
  },
  agent_complete: (record, event, own) => ended(own, record, event, event.payload.state),
  agent_cancelled: (record, event, own) => ended(own, record, event, "cancelled"),
  edit: unchanged,
  fork: unchanged,
  session_forked: (record, { payload: { childId: id, reason, messages } }, own) => ({
    ...record,
    children: own.added(record.children, { id, reason, messages }),
  }),
  session_archived: (record) => ({ ...record, status: "archived" }),
  session_restored: ({ restorableUntil: _, ...record }) => ({ ...record, status: "active" }),
  session_deleted: (record, { payload }) => ({
    ...record,
    status: "deleted",
    restorableUntil: payload.until,
  }),
};

/** The record one event later; of an event of a type that a newer server has, only that it was there. */
export function evolveRecord(record: SessionRecord, event: DomainEvent): SessionRecord {
  return recordFold()(record, event);
}

/** `evolveRecord` for many events in a row: only the last record that it returns may be given to anybody. */
export function recordFold(): typeof evolveRecord {
  const own = new OwnParts();
  return (record, event) => {
    const change = (CHANGES[event.type] ?? unchanged) as (
      record: SessionRecord,
      event: DomainEvent,
      own: OwnParts,
    ) => SessionRecord;
    return { ...change(record, event, own), index: event.index, updatedAt: event.timestamp };
  };
}

/** Adds an approval, and indexes the open ones by run. */
function withApproval(
  own: OwnParts,
  before: SessionRecord["approvals"],
  approval: Approval | undefined,
): { readonly approvals: SessionRecord["approvals"]; readonly open: ReadonlyMap<string, Set<string>> } {
  const earlier = approval && before[approval.id];
  const approvals = approval ? own.with(before, approval.id, approval) : before;
  const open = own.index(approvals, () => {
    const runs = new Map<string, Set<string>>();
    for (const { id, runId, decision } of Object.values(approvals))
      if (!decision) runs.set(runId, (runs.get(runId) ?? new Set()).add(id));
    return runs;
  });
  if (earlier) open.get(earlier.runId)?.delete(earlier.id);
  if (approval && !approval.decision)
    open.set(approval.runId, (open.get(approval.runId) ?? new Set()).add(approval.id));
  return { approvals, open };
}

/** Call ids are unique only within an agent. */
function callKey(call: {
  readonly id: string;
  readonly agent?: string | undefined;
  readonly parentCallId?: string | undefined;
  readonly taskId?: string | undefined;
}): string {
  const { id, agent, parentCallId, taskId } = call;
  return JSON.stringify([id, agent, parentCallId, taskId]);
}

function filesOf(
  files: EventPayloads["user_message"]["files"],
): { readonly files: readonly ApiFile[] } | undefined {
  return files && { files: files.map(({ blob, ...file }) => ({ id: blob, ...file })) };
}

function withMessage(
  own: OwnParts,
  record: SessionRecord,
  message: Omit<DomainMessage, "index" | "sessionId">,
): SessionRecord {
  const { id: sessionId, messages } = record;
  const added = { ...message, sessionId, index: messages.length };
  return { ...record, messages: own.added<DomainMessage>(messages, added) };
}

function withRun(own: OwnParts, record: SessionRecord, run: RunRecord): SessionRecord {
  const { active, runs } = record;
  if (run.completedAt === undefined) return { ...record, active: own.with(active, run.id, run) };
  return { ...record, active: own.without(active, run.id), runs: own.with(runs, run.id, run) };
}

function changedRun(
  own: OwnParts,
  record: SessionRecord,
  runId: string,
  change: (run: RunRecord) => Partial<RunRecord>,
): SessionRecord {
  const run = runOf(record, runId);
  return run ? withRun(own, record, { ...run, ...change(run) }) : record;
}

function withText(
  own: OwnParts,
  record: SessionRecord,
  { runId, artifactId }: { readonly runId: string; readonly artifactId: string },
  change: (before: StreamingText | undefined) => StreamingText,
): SessionRecord {
  return changedRun(own, record, runId, ({ texts }) => ({
    texts: own.with(texts, artifactId, change(texts[artifactId])),
  }));
}

function ended(
  own: OwnParts,
  record: SessionRecord,
  { payload, timestamp }: EventOf<"agent_complete"> | EventOf<"agent_cancelled">,
  status: RunStatus,
): SessionRecord {
  const { runId, messageId, content, reason } = payload;
  const after = changedRun(own, record, runId, () => ({
    status,
    completedAt: timestamp,
    ...(reason !== undefined && { reason }),
    ...("usage" in payload && payload.usage && { usage: payload.usage }),
  }));
  if (messageId === undefined) return after;
  const run = runOf(after, runId);
  const toolCalls = (run?.toolCalls ?? []).map(plainCall);
  return withMessage(own, after, {
    id: messageId,
    role: "assistant",
    content,
    timestamp,
    metadata: {
      agentRunId: runId,
      ...(toolCalls.length > 0 && { toolCalls }),
      ...(run && { agent: run.agent }),
    },
  });
}

function plainCall({ id, name, arguments: given, outcome, result }: RecordedCall): ToolCall {
  return definedFields({ id, name, arguments: given, outcome, result });
}
