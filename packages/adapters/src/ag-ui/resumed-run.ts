import type { ResumeEntry } from "@ag-ui/core";
import {
  isEnded,
  type Principal,
  type RecordedSessionEvent,
  type SessionState,
  type Sessions,
} from "@parley/sessions";
import { answerApproval } from "../conversations/approval-answers.ts";
import { familyOf } from "../conversations/session-family.ts";
import { eventsSinceBeginning } from "../followed-run.ts";
import { invalid } from "../problem.ts";
import { answerInResume } from "./interrupts.ts";
import type { ThreadRun } from "./thread-resolver.ts";

interface Resumption {
  readonly thread: SessionState | undefined;
  readonly resume: readonly ResumeEntry[];
  readonly key: string;
}

/** Answers the questions that the run before ended with, and goes on right behind them. */
export async function resumedRun(
  sessions: Sessions,
  principal: Principal,
  { thread, resume, key }: Resumption,
): Promise<ThreadRun> {
  const asked = thread && (await askedIn(sessions, principal, thread, resume[0]?.interruptId ?? ""));
  const ids = new Set(resume.map(({ interruptId }) => interruptId));
  const answers = resume.map((entry, at) => {
    const place = `resume.${at}`;
    const approval = asked?.approvals.get(entry.interruptId);
    if (!approval) throw invalid(`${place}.interruptId`, "nothing of this name was asked in this thread");
    return { approval, command: answerInResume(entry, approval, place) };
  });
  const runId = answers[0]?.approval.runId ?? "";
  const run = asked?.runs.get(runId);
  if (!asked || !run || answers.some(({ approval }) => approval.runId !== runId))
    throw invalid("resume", "must answer what one run asked");
  if (ids.size < resume.length) throw invalid("resume", "must answer each question once");
  const events = await eventsSinceStart(sessions, principal, asked, runId);
  const boundary = events.findIndex(
    ({ event }) => event.type === "approval_requested" && ids.has(event.approvalId),
  );
  const earlier = events.slice(0, boundary + 1);
  const open = earlier.find(({ event }) => isLeftOpen(asked, event, ids));
  if (open) throw invalid("resume", "must answer all that the run before ended with");
  let state = asked;
  // Answers that somebody else gave meanwhile hold: the stream reports them.
  for (const { command } of answers)
    ({ state } = await answerApproval(sessions, principal, asked, command, { key }));
  const after = earlier.at(-1)?.index ?? state.index;
  return { state, run, followed: { sessionId: state.id, runId, after }, earlier };
}

async function askedIn(
  sessions: Sessions,
  principal: Principal,
  thread: SessionState,
  approvalId: string,
): Promise<SessionState | undefined> {
  for await (const state of familyOf(sessions, principal, thread))
    if (state.approvals.has(approvalId)) return state;
  return undefined;
}

export async function eventsSinceStart(
  sessions: Sessions,
  principal: Principal,
  state: SessionState,
  runId: string,
): Promise<readonly RecordedSessionEvent[]> {
  const events: RecordedSessionEvent[] = [];
  for await (const page of eventsSinceBeginning(sessions, principal, state, runId)) events.push(...page);
  return events;
}

function isLeftOpen(
  { approvals, runs }: SessionState,
  event: RecordedSessionEvent["event"],
  ids: ReadonlySet<string>,
): boolean {
  if (event.type !== "approval_requested" || ids.has(event.approvalId)) return false;
  const run = runs.get(event.runId);
  return !approvals.get(event.approvalId)?.answer && run !== undefined && !isEnded(run);
}
