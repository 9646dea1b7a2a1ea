import type { Principal, RecordedSessionEvent, SessionState, Sessions } from "@parley/sessions";
import { recordedEvents } from "../api/session-reading.ts";
import type { FollowedRun } from "./followed-run.ts";

const PAGE = 1_000;

/** The run from its first word on, whoever asked for it and whenever; in a session that was packed up it is looked for. */
export async function followedAgain(
  sessions: Sessions,
  principal: Principal,
  { id: sessionId, index }: Pick<SessionState, "id" | "index">,
  runId: string,
): Promise<FollowedRun> {
  const known = await sessions.runBeginning(principal, sessionId, runId);
  if (known !== undefined) return { sessionId, runId, after: known };
  for (let end = index; end > 0; end -= PAGE) {
    const from = Math.max(0, end - PAGE);
    const page = await sessions.events(principal, sessionId, from, end - from);
    const begun = page.find(({ event }) => event.type === "agent_start" && event.runId === runId);
    if (begun) return { sessionId, runId, after: begun.index };
  }
  return { sessionId, runId, after: 0 };
}

/** All events of a session from the beginning of a run on, up to the state's last: what came before is not read. */
export async function* eventsSinceBeginning(
  sessions: Sessions,
  principal: Principal,
  state: Pick<SessionState, "id" | "index">,
  runId: string,
): AsyncGenerator<readonly RecordedSessionEvent[]> {
  const { after } = await followedAgain(sessions, principal, state, runId);
  yield* recordedEvents(sessions, principal, state, Math.max(0, after - 1));
}
