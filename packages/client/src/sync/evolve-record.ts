import type { ApiFile, DomainMessage, RunStatus, ToolCall } from "../api/api-types.ts";
import type { DomainEvent, DomainEventType, EventOf, EventPayloads } from "../api/domain-event.ts";
import {
  artifactsOf,
  type RecordedCall,
  type RunRecord,
  runOf,
  type SessionRecord,
  type StreamingText,
} from "./session-record.ts";

type Change<Type extends DomainEventType> = (record: SessionRecord, event: EventOf<Type>) => SessionRecord;

const unchanged = (record: SessionRecord) => record;

/** What each event does to a record; the compiler sees to it that none is missing. */
const CHANGES: { readonly [Type in DomainEventType]: Change<Type> } = {
  session_created: (record, { payload: { title, agent, config = {}, parent }, timestamp }) => ({
    ...{ ...record, title, config, createdAt: timestamp },
    ...(agent !== undefined && { agent }),
    ...(parent && { parentId: parent.sessionId }),
  }),
  session_renamed: (record, { payload }) => ({ ...record, title: payload.title }),
  agent_switched: (record, { payload }) => ({ ...record, agent: payload.agent }),
  config_changed: (record, { payload }) => ({ ...record, config: payload.config }),
  user_message: (record, { payload, timestamp }) => {
    const { editHistory, runId } = payload;
    return withMessage(record, {
      ...{ id: payload.messageId, role: "user", content: payload.content, timestamp },
      metadata: {
        ...(runId && { agentRunId: runId }),
        ...(editHistory && { isEdited: true, editHistory }),
        ...filesOf(payload.files),
      },
    });
  },
  agent_message: (record, { payload, timestamp }) => {
    const { messageId: id, content, runId, agent, files } = payload;
    return withMessage(record, {
      ...{ id, role: "assistant", content, timestamp },
      metadata: {
        ...(runId && { agentRunId: runId }),
        ...(agent !== undefined && { agent }),
        ...filesOf(files),
      },
    });
  },
  agent_start: (record, { payload: { runId, ...payload }, timestamp, sessionId }) =>
    withRun(record, {
      ...{ ...payload, id: runId, sessionId, status: "running", startedAt: timestamp },
      ...{ texts: {}, toolCalls: [] },
    }),
  agent_status: (record, { payload: { runId, text } }) =>
    text === undefined ? record : changedRun(record, runId, () => ({ activity: text })),
  agent_token_start: (record, { payload: { channel, restart, name, agent, ...of } }) =>
    withText(record, of, (before) => ({
      ...{ channel, text: restart ? "" : (before?.text ?? ""), isOpen: true },
      ...(name !== undefined && { name }),
      ...(agent !== undefined && { agent }),
    })),
  agent_token: (record, { payload: { text, ...of } }) =>
    withText(record, of, (before) => ({
      ...{ channel: "answer", isOpen: true, ...before },
      text: (before?.text ?? "") + text,
    })),
  agent_token_end: (record, { payload }) =>
    withText(record, payload, (before) => ({ channel: "answer", text: "", ...before, isOpen: false })),
  agent_tool_call: (record, { payload, timestamp: startedAt }) => {
    const { runId, callId: id, tool: name, arguments: given, agent, parentCallId, taskId } = payload;
    const call = {
      ...{ id, name, startedAt },
      ...(agent !== undefined && { agent }),
      ...(parentCallId !== undefined && { parentCallId }),
      ...(taskId !== undefined && { taskId }),
      ...(given !== undefined && { arguments: given }),
    };
    return changedRun(record, runId, ({ toolCalls }) => ({ toolCalls: [...toolCalls, call] }));
  },
  agent_tool_result: (record, { payload }) => {
    const { runId, callId, agent, parentCallId, taskId, outcome, durationMs, text, result = text } = payload;
    const end = {
      outcome,
      ...(result !== undefined && { result }),
      ...(durationMs !== undefined && { durationMs }),
    };
    // Ids are an agent's own: two agents at work may use the same.
    const isMeant = (call: RecordedCall) =>
      call.id === callId &&
      call.agent === agent &&
      call.parentCallId === parentCallId &&
      call.taskId === taskId;
    return changedRun(record, runId, ({ toolCalls }) => ({
      toolCalls: toolCalls.map((call) => (isMeant(call) ? { ...call, ...end } : call)),
    }));
  },
  agent_plan: (record, { payload: { runId, steps } }) => changedRun(record, runId, () => ({ plan: steps })),
  agent_artifact: (record, { payload: { runId, artifactId, ...artifact } }) => {
    const artifacts = { ...artifactsOf(record, runId), [artifactId]: artifact };
    if (runOf(record, runId)) return changedRun(record, runId, () => ({ artifacts }));
    return { ...record, inherited: { ...record.inherited, [runId]: artifacts } };
  },
  approval_requested: (record, { payload, timestamp, sessionId }) => {
    const { approvalId: id, runId, question, agent, tool, arguments: given } = payload;
    const approval = {
      ...{ id, sessionId, runId, question, requestedAt: timestamp },
      ...(agent !== undefined && { agent }),
      ...(tool !== undefined && { tool }),
      ...(given !== undefined && { arguments: given }),
    };
    const waiting = changedRun(record, runId, () => ({ status: "waiting" }));
    return { ...waiting, approvals: { ...record.approvals, [id]: approval } };
  },
  approval_answered: (record, { payload: { approvalId, runId, decision, ...answer }, timestamp }) => {
    const asked = record.approvals[approvalId];
    const answered = asked && { [approvalId]: { ...asked, decision, answer, answeredAt: timestamp } };
    const approvals = { ...record.approvals, ...answered };
    const isOpen = Object.values(approvals).some((each) => each.runId === runId && !each.decision);
    return { ...changedRun(record, runId, () => ({ status: isOpen ? "waiting" : "running" })), approvals };
  },
  agent_complete: (record, event) => ended(record, event, event.payload.state),
  agent_cancelled: (record, event) => ended(record, event, "cancelled"),
  edit: unchanged,
  fork: unchanged,
  session_forked: (record, { payload: { childId: id, reason, messages } }) => ({
    ...record,
    children: [...record.children, { id, reason, messages }],
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
  const change = (CHANGES[event.type] ?? unchanged) as (
    record: SessionRecord,
    event: DomainEvent,
  ) => SessionRecord;
  return { ...change(record, event), index: event.index, updatedAt: event.timestamp };
}

function filesOf(
  files: EventPayloads["user_message"]["files"],
): { readonly files: readonly ApiFile[] } | undefined {
  return files && { files: files.map(({ blob, ...file }) => ({ id: blob, ...file })) };
}

function withMessage(
  record: SessionRecord,
  message: Omit<DomainMessage, "index" | "sessionId">,
): SessionRecord {
  const { id: sessionId, messages } = record;
  return { ...record, messages: [...messages, { ...message, sessionId, index: messages.length }] };
}

function withRun(record: SessionRecord, run: RunRecord): SessionRecord {
  if (run.completedAt === undefined) return { ...record, active: { ...record.active, [run.id]: run } };
  const { [run.id]: _, ...active } = record.active;
  return { ...record, active, runs: { ...record.runs, [run.id]: run } };
}

function changedRun(
  record: SessionRecord,
  runId: string,
  change: (run: RunRecord) => Partial<RunRecord>,
): SessionRecord {
  const run = runOf(record, runId);
  return run ? withRun(record, { ...run, ...change(run) }) : record;
}

function withText(
  record: SessionRecord,
  { runId, artifactId }: { readonly runId: string; readonly artifactId: string },
  change: (before: StreamingText | undefined) => StreamingText,
): SessionRecord {
  return changedRun(record, runId, ({ texts }) => ({
    texts: { ...texts, [artifactId]: change(texts[artifactId]) },
  }));
}

function ended(
  record: SessionRecord,
  { payload, timestamp }: EventOf<"agent_complete"> | EventOf<"agent_cancelled">,
  status: RunStatus,
): SessionRecord {
  const { runId, messageId, content, reason } = payload;
  const after = changedRun(record, runId, () => ({
    ...{ status, completedAt: timestamp },
    ...(reason !== undefined && { reason }),
    ...("usage" in payload && payload.usage && { usage: payload.usage }),
  }));
  if (messageId === undefined) return after;
  const run = runOf(record, runId);
  const toolCalls = (run?.toolCalls ?? []).map(plainCall);
  return withMessage(after, {
    ...{ id: messageId, role: "assistant", content, timestamp },
    metadata: {
      agentRunId: runId,
      ...(toolCalls.length > 0 && { toolCalls }),
      ...(run && { agent: run.agent }),
    },
  });
}

function plainCall({ id, name, arguments: given, outcome, result }: RecordedCall): ToolCall {
  return {
    ...{ id, name },
    ...(given !== undefined && { arguments: given }),
    ...(outcome !== undefined && { outcome }),
    ...(result !== undefined && { result }),
  };
}
