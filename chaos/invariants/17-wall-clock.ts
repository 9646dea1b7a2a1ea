import { findingOn, type Invariant, together } from "./invariant.ts";

/** With wrong clocks, indices still follow the order of events, and no lease is taken before it expires by the database's clock. */
export const wallClock: Invariant = {
  id: "17",
  promise: "the wall clock decides no order and no ownership",
  check({ faults, writes, leases }) {
    if (!faults.some(({ fault }) => fault.kind === "clock")) return { checked: 0, violations: [] };
    const reached = new Map<string, number>();
    return together(
      findingOn(writes, ({ stream, last, application }) => {
        const before = reached.get(stream) ?? 0;
        reached.set(stream, last);
        return last > before
          ? undefined
          : { what: `${application} wrote ${last} after ${before}`, stream, index: last };
      }),
      findingOn(
        leases.filter(({ isTaken, leftMs }) => isTaken && leftMs !== null),
        ({ stream, leftMs, application }) =>
          (leftMs ?? 0) <= 0
            ? undefined
            : { what: `${application} took a lease that had ${Math.round(leftMs ?? 0)} ms left`, stream },
      ),
    );
  },
};
