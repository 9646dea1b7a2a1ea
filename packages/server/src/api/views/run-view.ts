import type { ApprovalRow, Run, RunRow } from "@parley/sessions";
import type { ApiApproval, ApiRun } from "../schemas/run-schemas.ts";
import { isoTime } from "./session-view.ts";
import type { Timeline } from "./timeline.ts";

/** A run of a session's state. */
export function runView(sessionId: string, run: Run, timeline?: Timeline): ApiRun {
  const { startedAt, completedAt } = timeline?.run(run.id) ?? {};
  const isOver = run.status !== "running" && run.status !== "waiting";
  const answers = [...run.texts.values()].filter(({ channel }) => channel === "answer");
  return {
    ...commonFields({ ...run, sessionId }),
    startedAt: isoTime(startedAt),
    completedAt: isoTime(completedAt),
    ...(!isOver && { text: answers.map(({ text }) => text).join("") }),
    ...(run.plan && { plan: [...run.plan] }),
  };
}

/** A run in lists. */
export function runRowView(row: RunRow): ApiRun {
  const { startedAt, completedAt, usage } = row;
  const times = { startedAt: isoTime(startedAt), completedAt: isoTime(completedAt) };
  return { ...commonFields(row), ...times, usage: usage && { ...usage } };
}

/** An approval in the inbox. */
export function approvalView(row: ApprovalRow): ApiApproval {
  const { place: _, requestedAt, answeredAt, ...approval } = row;
  return { ...approval, requestedAt: isoTime(requestedAt), answeredAt: isoTime(answeredAt) };
}

function commonFields(run: (Run & { readonly sessionId: string }) | RunRow) {
  const { id, sessionId, agent, agentUrl, contextId, inputSnapshotHash, messageId, status } = run;
  const { retryOf, reason } = run;
  return { id, sessionId, agent, agentUrl, contextId, inputSnapshotHash, messageId, status, retryOf, reason };
}
