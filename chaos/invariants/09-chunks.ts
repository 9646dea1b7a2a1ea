import type { LoggedStream } from "../evidence/evidence.ts";
import { joinedAnswer, runsIn } from "../evidence/recorded-runs.ts";
import { difference, findingOn, type Invariant, together, type Violation } from "./invariant.ts";

/** The joined chunks equal the answer, and the first chunk of an artifact does not append. */
export const chunks: Invariant = {
  id: "9",
  promise: "chunks joined equal the final text, byte for byte; the first has append=false",
  check: (evidence) =>
    together(
      findingOn(runsIn(evidence), ({ id, sessionId, entries, ends: [end] }) => {
        if (end?.event.type !== "agent_complete" && end?.event.type !== "agent_cancelled") return undefined;
        const found = joinedAnswer(entries);
        if (found === end.event.content || end.event.messageId === undefined) return undefined;
        return {
          what: `the pieces of run ${id} are not its answer`,
          ...{ session: sessionId, index: end.index, ...difference(end.event.content, found) },
        };
      }),
      findingOn(
        [...evidence.streams.values()].filter(({ name }) => name.includes("task/")),
        firstPieces,
      ),
    ),
};

function firstPieces({ name, events }: LoggedStream): Violation[] {
  const known = new Set<string>();
  return events.flatMap(({ index, json }) => {
    if (!json.startsWith('{"artifactUpdate":')) return [];
    const { artifact, append } = JSON.parse(json).artifactUpdate;
    const isFirst = !known.has(artifact.artifactId);
    known.add(artifact.artifactId);
    return isFirst && append === true
      ? [{ what: "the first chunk appends", stream: name, index, found: json }]
      : [];
  });
}
