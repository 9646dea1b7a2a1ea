import type { Principal, RecordedSessionEvent, SessionState, Sessions } from "@parley/sessions";

const PAGE = 1_000;

/** All events of a session from the beginning of a run on, up to the state's last: what came before is not read. */
export async function eventsSinceBeginning(
  sessions: Sessions,
  principal: Principal,
  { id, index }: Pick<SessionState, "id" | "index">,
  runId: string,
): Promise<readonly RecordedSessionEvent[]> {
  const pages: (readonly RecordedSessionEvent[])[] = [];
  for (let end = index; end > 0; ) {
    const start = Math.max(0, end - PAGE);
    const page = await sessions.events(principal, id, start, end - start);
    const begins = page.findIndex(({ event }) => event.type === "agent_start" && event.runId === runId);
    pages.push(begins < 0 ? page : page.slice(begins));
    if (begins >= 0) break;
    end = start;
  }
  return pages.toReversed().flat();
}
