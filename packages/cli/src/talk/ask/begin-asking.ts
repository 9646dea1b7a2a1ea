import { activeRun, emptyRecord, newId, type SessionRecord } from "@parley/client";
import { CommandError, EXIT } from "../../command-error.ts";
import { isPermission } from "../view/approval-lines.ts";
import { recordOf } from "../watch/record-of.ts";
import type { AskOptions } from "./ask-options.ts";

/** A run to follow, and the session as it was before. */
export interface Asking {
  readonly record: SessionRecord;
  readonly runId: string;
  /** The question that was answered by what was said. */
  readonly answered?: string;
}

/** A server that restarts is waited for. */
export const PATIENTLY = { attempts: 12 };

/** Says what there is to say, in a session that there is or in a new one, as an answer where one is asked for; with nothing to say, finds the run that is under way. */
export async function beginAsking(options: AskOptions, signal: AbortSignal): Promise<Asking> {
  const { client, agent, message, sessionId, decision } = options;
  const patiently = { ...PATIENTLY, signal };
  const chosen = agent === undefined ? {} : { agent };
  if (sessionId === undefined) {
    const id = newId("ses");
    await client.createSession({ id, ...chosen }, patiently);
    const { run } = await client.postMessage(id, { content: message ?? "" }, patiently);
    return { record: emptyRecord(id), runId: run.id };
  }
  const record = await recordOf(client, sessionId);
  const run = activeRun(record);
  const waiting =
    run && Object.values(record.approvals).find((each) => each.runId === run.id && !each.decision);
  const answer = waiting && isPermission(waiting) ? decision : "answered";
  if (run && waiting && message !== undefined && answer !== undefined) {
    await client.answerApproval(sessionId, waiting.id, { decision: answer, text: message }, patiently);
    return { record, runId: run.id, answered: waiting.id };
  }
  // Where leave is asked for, and nobody has decided, that comes first.
  if (run && (waiting || message === undefined)) return { record, runId: run.id };
  if (message === undefined)
    throw new CommandError(`Nothing waits in session ${sessionId}: say what you want to ask`, EXIT.usage);
  const posted = await client.postMessage(sessionId, { content: message, ...chosen }, patiently);
  return { record, runId: posted.run.id };
}
