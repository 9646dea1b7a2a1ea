import { findingOn, type Invariant } from "./invariant.ts";

/** A tool that says it must not be called twice was not: each entry of the ledger is there once. */
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
