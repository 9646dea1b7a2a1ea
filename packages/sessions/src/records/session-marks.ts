import { eventsAfter, type Journal } from "@parley/journal";
import { markStream } from "../session-streams.ts";

const PAGE = 1_000;

/** Adds a mark beside a session, such as a delivery receipt; its own events do not change. */
export async function addMark(journal: Journal, sessionId: string, mark: string): Promise<void> {
  await journal.append(markStream(sessionId), [{ mark }]);
}

/** All marks of a session. */
export async function marksOf(journal: Journal, sessionId: string): Promise<ReadonlySet<string>> {
  const marks = new Set<string>();
  for (let after = 0; ; ) {
    const page = await eventsAfter<{ mark: string }>(journal, markStream(sessionId), after, PAGE);
    for (const { payload } of page) marks.add(payload.mark);
    if (page.length < PAGE) return marks;
    after += page.length;
  }
}
