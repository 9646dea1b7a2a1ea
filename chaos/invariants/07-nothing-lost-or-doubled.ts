import { joinedAnswer, runsIn } from "../evidence/recorded-runs.ts";
import { answerOf } from "../world/spoken-words.ts";
import { difference, findingOn, type Invariant } from "./invariant.ts";

/** The recorded answer equals the model's output byte for byte, despite cut connections. */
export const nothingLostOrDoubled: Invariant = {
  id: "7",
  promise: "nothing is lost or doubled across reconnects and takeovers",
  check: (evidence) =>
    findingOn(
      // A run that received further messages has more to answer.
      runsIn(evidence).filter(
        ({ request, ends, entries }) =>
          request &&
          ends[0]?.event.type === "agent_complete" &&
          !entries.some(({ event }) => event.type === "user_message"),
      ),
      ({ id, sessionId, request, entries, ends: [end] }) => {
        if (!request || end?.event.type !== "agent_complete" || end.event.state !== "completed")
          return undefined;
        const expected = answerOf(request);
        const found = joinedAnswer(entries);
        if (found === expected) return undefined;
        return {
          what: `the answer of run ${id} is not what its agent said`,
          ...{ session: sessionId, index: end.index, ...difference(expected, found) },
        };
      },
    ),
};
