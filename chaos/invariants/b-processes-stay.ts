import { findingOn, type Invariant } from "./invariant.ts";

/** No process ends because of what happens to others: those that ended were killed. */
export const processesStay: Invariant = {
  id: "B",
  promise: "no process ends by itself, whatever happens around it",
  check: ({ processes }) =>
    findingOn(processes, ({ name, unaskedEnds }) =>
      unaskedEnds.map(({ at, life, how, lastWords }) => ({
        what: `${name} ended by itself in life ${life} (${how}) at ${new Date(at).toISOString()}`,
        found: lastWords.slice(-400),
      })),
    ),
};
