import { activeRun, emptyRecord, newId, type SessionRecord } from "@parley/client";
import { CommandError, EXIT } from "../../command-error.ts";
import type { TalkOptions } from "../talk-options.ts";
import { recordOf } from "../watch/record-of.ts";

/** A run to follow, and the session as it was before. */
export interface Asking {
  readonly record: SessionRecord;
  readonly runId: string;
}

/** A server that restarts is waited for. */
export const PATIENTLY = { attempts: 12 };

/** Says what there is to say, in a session that there is or in a new one; with nothing to say, finds the run that is under way. */
export async function beginAsking(options: TalkOptions): Promise<Asking> {
  const { client, agent, message, sessionId } = options;
  const chosen = agent === undefined ? {} : { agent };
  if (sessionId === undefined) {
    const id = newId("ses");
    await client.createSession({ id, ...chosen }, PATIENTLY);
    const { run } = await client.postMessage(id, { content: message ?? "" }, PATIENTLY);
    return { record: emptyRecord(id), runId: run.id };
  }
  const record = await recordOf(client, sessionId);
  if (message !== undefined) {
    const { run } = await client.postMessage(sessionId, { content: message, ...chosen }, PATIENTLY);
    return { record, runId: run.id };
  }
  const run = activeRun(record);
  if (run) return { record, runId: run.id };
  throw new CommandError(`Nothing waits in session ${sessionId}: say what you want to ask`, EXIT.usage);
}
