import type { ApprovalRow, Run, RunRow } from "@parley/sessions";
import type { ApiApproval, ApiRun } from "../schemas/run-schemas.ts";
import { isoTime } from "./session-view.ts";
import type { Timeline } from "./timeline.ts";

/** A run as its session tells of it. */
export function runView(sessionId: string, run: Run, timeline?: Timeline): ApiRun {
  const { id, agent, agentUrl, contextId, inputSnapshotHash, messageId, status, retryOf, reason } = run;
  const { startedAt, completedAt } = timeline?.run(id) ?? {};
  const isOver = status !== "running" && status !== "waiting";
  const said = [...run.texts.values()].filter(({ channel }) => channel === "answer");
  return {
    ...{ id, sessionId, agent, agentUrl, contextId, inputSnapshotHash, messageId, status, retryOf, reason },
    ...{ startedAt: isoTime(startedAt), completedAt: isoTime(completedAt) },
    ...(!isOver && { text: said.map(({ text }) => text).join("") }),
    ...(run.plan && { plan: [...run.plan] }),
  };
}

/** A run as lists show it. */
export function runRowView(row: RunRow): ApiRun {
  const { id, sessionId, agent, agentUrl, contextId, inputSnapshotHash, messageId, status } = row;
  const { retryOf, reason, usage } = row;
  return {
    ...{ id, sessionId, agent, agentUrl, contextId, inputSnapshotHash, messageId, status, retryOf, reason },
    startedAt: isoTime(row.startedAt),
    completedAt: isoTime(row.completedAt),
    usage: usage && { ...usage },
  };
}

/** An approval as the inbox shows it. */
export function approvalView(row: ApprovalRow): ApiApproval {
  const { id, sessionId, runId, question, agent, tool, arguments: given, decision, answer } = row;
  return {
    ...{ id, sessionId, runId, question, agent, tool, arguments: given, decision, answer },
    ...{ requestedAt: isoTime(row.requestedAt), answeredAt: isoTime(row.answeredAt) },
  };
}
