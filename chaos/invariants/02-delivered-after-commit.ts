import { type Evidence, type SessionEntry, sessionsIn } from "../evidence/evidence.ts";
import { difference, type Finding, findingOn, type Invariant, together } from "./invariant.ts";

/** Every frame a client received, by our API or A2A, is in the log, byte for byte. */
export const deliveredAfterCommit: Invariant = {
  id: "2",
  promise: "an event is delivered only after its commit",
  check: (evidence) => together(toFollowers(evidence), toCallers(evidence)),
};

function toFollowers(evidence: Evidence): Finding {
  const sessions = sessionsIn(evidence);
  return findingOn(seenEvents(evidence), ({ follower, sessionId, index, data }) => {
    const entry = sessions.get(sessionId)?.[index - 1];
    const place = { session: sessionId, index };
    if (!entry) return { what: `${follower} saw an event that the log does not have`, ...place, found: data };
    const expected = viewOf(sessionId, entry);
    if (expected === data) return undefined;
    return {
      what: `${follower} saw another event than the log has`,
      ...place,
      ...difference(expected, data),
    };
  });
}

function toCallers({ calls, streams }: Evidence): Finding {
  const frames = calls.flatMap(({ key, taskId, frames: all }) =>
    all.map((frame) => ({ ...frame, key, stream: `task/${taskId}` })),
  );
  return findingOn(frames, ({ id, data, key, stream }) => {
    const { result } = JSON.parse(data);
    // Without a cursor the current task comes first, which is not an event in the log.
    if (id === undefined || result === undefined || "task" in result) return undefined;
    // A task that was compacted since has only its outcome.
    if ((streams.get(stream)?.trimmed ?? 0) > 0) return undefined;
    const event = streams.get(stream)?.events.find(({ index }) => index === Number(id));
    const found = JSON.stringify(result);
    if (event?.json === found) return undefined;
    const what = `who called as ${key} saw another event than the log has`;
    return { what, stream, index: Number(id), ...difference(event?.json ?? "", found) };
  });
}

/** An event of a session as a follower received it. */
export interface SeenEvent {
  readonly follower: string;
  readonly sessionId: string;
  readonly index: number;
  readonly data: string;
}

/** Every event that any follower received, in order. */
export function* seenEvents({ followers }: Pick<Evidence, "followers">): Generator<SeenEvent> {
  for (const { name: follower, streams } of followers)
    for (const { frames } of streams)
      for (const { event, data } of frames)
        if (event === undefined) {
          const { sessionId, index } = JSON.parse(data) as Pick<SeenEvent, "sessionId" | "index">;
          yield { follower, sessionId, index, data };
        }
}

/** The event as clients get it; encoded here independently of the code under test. */
export function viewOf(sessionId: string, { index, at, event }: SessionEntry): string {
  const { type, key: _, ...payload } = event as typeof event & { readonly key?: string };
  const id = `evt_${sessionId}_${index}`;
  return JSON.stringify({ id, sessionId, index, type, payload, timestamp: new Date(at).toISOString() });
}
