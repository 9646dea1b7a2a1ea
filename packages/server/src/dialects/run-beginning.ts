import type { Principal, SessionState, Sessions } from "@parley/sessions";
import type { FollowedRun } from "./followed-run.ts";

const FEW = 8;
const PAGE = 1_000;

/** The run from its first word on, whoever asked for it and whenever: looked for from the session's end. */
export async function followedAgain(
  sessions: Sessions,
  principal: Principal,
  { id: sessionId, index }: Pick<SessionState, "id" | "index">,
  runId: string,
): Promise<FollowedRun> {
  for (let end = index, size = FEW; end > 0; end -= size, size = PAGE) {
    const from = Math.max(0, end - size);
    const page = await sessions.events(principal, sessionId, from, end - from);
    const begun = page.find(({ event }) => event.type === "agent_start" && event.runId === runId);
    if (begun) return { sessionId, runId, after: begun.index };
  }
  return { sessionId, runId, after: 0 };
}
