import { findingOn, type Invariant } from "./invariant.ts";

const MAX_MB = 1_000;

/** With slow readers, no node uses more memory than this; invariant 5 checks that they receive everything. */
export const slowReaders: Invariant = {
  id: "16",
  promise: "a slow reader is bounded",
  check: ({ faults, processes }) => {
    const slow = faults.filter(({ fault }) => fault.kind === "slow-reader").length;
    const nodes = processes.filter(({ name }) => name.startsWith("node"));
    const { violations } = findingOn(slow > 0 ? nodes : [], ({ name, peakMb }) =>
      peakMb <= MAX_MB ? undefined : { what: `${name} took ${peakMb} MB`, expected: `at most ${MAX_MB} MB` },
    );
    return { checked: slow > 0 ? nodes.reduce((sum, { looks }) => sum + looks, 0) : 0, violations };
  },
};
