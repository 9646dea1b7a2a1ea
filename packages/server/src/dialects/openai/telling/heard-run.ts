import { CommandRefusedError, type Principal, type Sessions } from "@parley/sessions";
import { followRun } from "../../followed-run.ts";
import type { Answering } from "../asking/asking.ts";
import { followed, type PartOfRun, partOfRun } from "./part-of-run.ts";

/**
 * The part of a run that answers. A message that came while another run was under way was told to that one: whether it
 * was heard, or is answered by a further run, shows when that one has ended. `undefined`: the signal aborted before.
 */
export async function heardRun(
  sessions: Sessions,
  principal: Principal,
  answering: Answering,
  signal: AbortSignal,
): Promise<PartOfRun | undefined> {
  const { sessionId, messageId } = answering;
  const taken = await partOfRun(sessions, principal, answering);
  if (!taken) throw new CommandRefusedError("not_found", "There is no such answer");
  if (taken.run.messageId === messageId || answering.part > 0) return taken;
  const events = followRun(sessions, principal, followed(taken), signal);
  while (!(await events.next()).done);
  if (signal.aborted) return undefined;
  const { runs } = await sessions.state(principal, sessionId);
  const own = [...runs.values()].findLast((run) => run.messageId === messageId);
  const runId = own?.id ?? taken.run.id;
  return (await partOfRun(sessions, principal, { sessionId, runId, part: 0 })) ?? taken;
}
