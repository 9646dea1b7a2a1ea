import { findingOn, type Invariant } from "./invariant.ts";

/** Each stream's events in the log are complete, each once. */
export const indices: Invariant = {
  id: "1",
  promise: "indices of a stream are 1..n: no gap, no repeat",
  check: ({ streams }) =>
    findingOn(streams.values(), ({ name, head, trimmed, events }) => {
      const odd = events.findIndex(({ index }, place) => index !== trimmed + place + 1);
      const last = trimmed + events.length;
      if (odd >= 0) return { what: "an index is out of turn", stream: name, index: events[odd]?.index ?? 0 };
      return last === head
        ? undefined
        : { what: `the head is ${head}, the last event ${last}`, stream: name, index: last };
    }),
};
