import { findingOn, type Invariant } from "./invariant.ts";

/** A non-repeatable tool was not called twice: each ledger entry exists once. */
export const toolsOnce: Invariant = {
  id: "A",
  promise: "a call of a tool that is not repeatable is made once at most, also after a crash",
  check({ ledger }) {
    const seen = new Set<string>();
    return findingOn(ledger, (entry) => {
      if (seen.has(entry)) return { what: `the tool was called again for ${entry}`, found: entry };
      seen.add(entry);
      return undefined;
    });
  },
};
