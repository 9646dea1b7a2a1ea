import { type CallEvidence, type Evidence, type FollowerEvidence, sessionsIn } from "../evidence/evidence.ts";
import { type Finding, findingOn, type Invariant, together, type Violation } from "./invariant.ts";

/** Over all its connections, on any node, a follower received each event of a session in order, to the last. */
export const resuming: Invariant = {
  id: "5",
  promise: "after Last-Event-ID: k comes the next event, or an explicit reset",
  check(evidence) {
    const followers = evidence.followers.map((follower) =>
      turnsOf(follower, headsIn(evidence, follower.workspace)),
    );
    return together(...followers, findingOn(evidence.calls, callInTurn));
  },
};

/** In A2A an id is the event's index: over all connections of one call, ids increase. */
function callInTurn({ key, taskId, frames }: CallEvidence): Violation | undefined {
  const ids = frames.flatMap(({ id, data }) =>
    id === undefined || "error" in JSON.parse(data) ? [] : Number(id),
  );
  const odd = ids.findIndex((id, place) => place > 0 && id <= (ids[place - 1] ?? 0));
  if (odd < 0) return undefined;
  const what = `who called as ${key} got ${ids[odd]} after ${ids[odd - 1]}`;
  return { what, stream: `task/${taskId}`, index: ids[odd] ?? 0 };
}

/** The last index of each session of a workspace. */
function headsIn(evidence: Evidence, workspace: string): Map<string, number> {
  const own = [...sessionsIn(evidence)].filter(([, [first]]) => {
    const event = first?.event;
    return event?.type === "session_created" && event.workspace === workspace;
  });
  return new Map(own.map(([id, entries]) => [id, entries.length]));
}

function turnsOf(
  { name, streams, isPartial }: FollowerEvidence,
  heads: ReadonlyMap<string, number>,
): Finding {
  // It followed before the first session was created: a session it did not receive is missed.
  const places = new Map([...heads.keys()].map((id) => [id, 0]));
  const violations: Violation[] = [];
  let checked = 0;
  for (const { node, frames } of streams) {
    for (const { event, data } of frames) {
      const { sessionId, index } = JSON.parse(data);
      if (event === "reset") places.set(sessionId, index);
      if (event !== undefined) continue;
      const place = places.get(sessionId);
      checked++;
      if (place !== undefined && index !== place + 1)
        violations.push({
          what: `${name} on ${node} got ${index} after ${place}`,
          ...{ session: sessionId, index, expected: String(place + 1), found: String(index) },
        });
      places.set(sessionId, index);
    }
  }
  if (isPartial) return { checked, violations };
  for (const [session, place] of places) {
    const head = heads.get(session) ?? 0;
    if (place < head)
      violations.push({
        what: `${name} never got what comes after ${place} of ${head}`,
        session,
        index: place,
      });
  }
  return { checked, violations };
}
