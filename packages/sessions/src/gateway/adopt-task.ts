import { createHash } from "node:crypto";
import { type ExecutionContext, memberIn, sessionSnapshot, textOf } from "@parley/a2a";
import type { Journal } from "@parley/journal";
import { activeRun } from "../domain/session-state.ts";
import type { Principal } from "../records/principal.ts";
import { runStream } from "../session-streams.ts";
import type { Sessions } from "../sessions.ts";
import type { AgentAddress } from "./agent-calls.ts";
import type { RunFrame } from "./run-frame.ts";

export interface Adoption {
  readonly journal: Journal;
  readonly sessions: Sessions;
  readonly principal: Principal;
  /** The agent that got the message. */
  readonly agent: AgentAddress;
}

/**
 * Makes a session of a task that somebody outside began at an agent of ours: its context is the session, its message a
 * message there, and its task a run that the gateway follows from now on. A task of one of our own runs is left alone.
 */
export async function adoptTask(
  { journal, sessions, principal, agent }: Adoption,
  context: ExecutionContext,
): Promise<void> {
  const { taskId, contextId, message, task } = context;
  if (memberIn(message.metadata, sessionSnapshot).value) return;
  const key = `adopt:${agent.agent}:${taskId}`;
  const { sessionId, isNew } = await sessionFor(sessions, principal, {
    agent: agent.agent,
    contextId,
    taskId,
  });
  if (isNew)
    await sessions.execute(principal, sessionId, { type: "create", ...principal, ...isNew }, { key });
  // Before the run is recorded: whoever takes it finds its task there, and begins no other.
  const frames: RunFrame[] = [
    { asked: { ...agent, key: taskId, adopted: true } },
    { event: { task: { ...task, history: [] } } },
  ];
  await journal.append(runStream(taskId), frames, { urgent: true });
  const run = { runId: taskId, ...agent, contextId };
  const content = textOf(message);
  await sessions.execute(
    principal,
    sessionId,
    { type: "postMessage", messageId: `${taskId}-question`, content, run },
    { key: `${key}:message` },
  );
}

interface Outside {
  readonly agent: string;
  readonly contextId: string;
  readonly taskId: string;
}

/** The context's session; while another task of it is at work there, one of its own: a session has one run at a time. */
async function sessionFor(sessions: Sessions, principal: Principal, { agent, contextId, taskId }: Outside) {
  const known = await sessions.ofContext(principal, contextId);
  if (!known) return { sessionId: `ses_${hashed(`${agent}/${contextId}`)}`, isNew: { contextId } };
  const run = activeRun(await sessions.state(principal, known.id));
  if (!run || run.id === taskId) return { sessionId: known.id };
  return { sessionId: `ses_${hashed(`${agent}/${contextId}/${taskId}`)}`, isNew: {} };
}

function hashed(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 24);
}
