import { findingOn, type Invariant } from "./invariant.ts";

/** No process exits because of faults elsewhere: every exit was an injected kill. */
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
