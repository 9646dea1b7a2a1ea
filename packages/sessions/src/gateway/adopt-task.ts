import { createHash } from "node:crypto";
import { type ExecutionContext, memberIn, sessionSnapshot, textOf } from "@parley/a2a";
import { IndexConflictError, type Journal } from "@parley/journal";
import type { Principal } from "../domain/session-command.ts";
import { CommandRefusedError } from "../domain/session-command.ts";
import { runStream } from "../session-streams.ts";
import type { Sessions } from "../sessions.ts";
import type { AgentAddress } from "./agent-calls.ts";
import type { RunFrame } from "./run-frame.ts";

export interface Adoption {
  readonly journal: Journal;
  readonly sessions: Sessions;
  readonly principal: Principal;
  readonly agent: AgentAddress;
  /** Reserves storage: the task may end, and not count any more, before the session is recorded. */
  readonly reserve?: (bytes: number) => Disposable | undefined;
}

/**
 * Makes a session of a task that an outside caller began at one of our agents: its context becomes the session, its
 * message a message, its task a run that the gateway follows. Tasks of our own runs are left alone.
 */
export async function adoptTask(adoption: Adoption, context: ExecutionContext): Promise<void> {
  const { journal, sessions, principal, agent } = adoption;
  const { taskId, contextId, message, task } = context;
  const { runId } = memberIn(message.metadata, sessionSnapshot).value ?? {};
  // Anybody can name a run: only the caller's own counts.
  if (runId !== undefined && (await sessions.sessionOfRun(principal, runId))) return;
  using _ = adoption.reserve?.(textOf(message).length);
  // Recorded before the run, so that its owner finds the task and begins no other.
  await begin(journal, taskId, [
    { asked: { ...agent, key: taskId, adopted: true } },
    // Without artifacts: a frame stands for what the session has too.
    { event: { task: { id: task.id, contextId: task.contextId, status: task.status } } },
  ]);
  const own = ownSession(agent, taskId);
  const ask = (sessionId: string) => post(adoption, sessionId, context);
  if (await isThere(adoption, own)) return ask(own);
  try {
    const known = await sessions.ofContext(principal, contextId);
    // Two callers may choose the same context id.
    const named = hashed(JSON.stringify([principal.workspace, principal.owner, agent.agent, contextId]));
    await ask(known?.id ?? (await create(adoption, named, { contextId })));
  } catch (error) {
    if (!(error instanceof CommandRefusedError)) throw error;
    // The session was deleted: this task gets its own.
    await create(adoption, own);
    await ask(own);
  }
}

/** Writes the first frames of a run, unless a takeover finds them there. */
async function begin(journal: Journal, runId: string, frames: readonly RunFrame[]): Promise<void> {
  try {
    await journal.append(runStream(runId), frames, { expected: 0, urgent: true });
  } catch (error) {
    if (!(error instanceof IndexConflictError)) throw error;
  }
}

/** Creates it, unless another call of the same context was quicker. */
async function create(
  { sessions, principal }: Adoption,
  sessionId: string,
  knownBy: { readonly contextId?: string } = {},
): Promise<string> {
  const command = { type: "create", ...principal, ...knownBy } as const;
  await sessions.execute(principal, sessionId, command, { key: `adopt:${sessionId}`, isAdmitted: true });
  return sessionId;
}

async function post(
  { sessions, principal, agent }: Adoption,
  sessionId: string,
  { taskId, contextId, message }: ExecutionContext,
): Promise<void> {
  const run = { runId: taskId, ...agent, contextId };
  const question = { messageId: `${taskId}-question`, content: textOf(message), run, hasBegun: true };
  const key = `adopt:${agent.agent}:${taskId}:message`;
  const options = { key, isAdmitted: true };
  await sessions.execute(principal, sessionId, { type: "postMessage", ...question }, options);
}

/** The session of a task without a session of its context. */
export function ownSession({ agent }: AgentAddress, taskId: string): string {
  return hashed(`${agent}/task/${taskId}`);
}

export async function isThere({ sessions, principal }: Adoption, sessionId: string): Promise<boolean> {
  try {
    await sessions.state(principal, sessionId);
    return true;
  } catch (error) {
    if (error instanceof CommandRefusedError) return false;
    throw error;
  }
}

function hashed(text: string): string {
  return `ses_${createHash("sha256").update(text).digest("base64url").slice(0, 24)}`;
}
