import type { Finding, Invariant, Violation } from "./invariant.ts";

/** Runs started by clients; runs of A2A callers are started, and get answers, on nodes that do not own them. */
const OWN_RUNS = "run/run_";

/** Only the lease holder writes to a run's stream, as recorded by the database itself. */
export const fencedWriters: Invariant = {
  id: "13",
  promise: "a paused owner cannot write after takeover",
  check({ writes, leases }): Finding {
    const owners = new Map<string, string | undefined>();
    const violations: Violation[] = [];
    let checked = 0;
    const notes = [...writes, ...leases].sort((a, b) => a.number - b.number);
    for (const note of notes) {
      if (!note.stream.startsWith(OWN_RUNS)) continue;
      if ("isTaken" in note) {
        owners.set(note.stream, note.isTaken ? note.application : undefined);
        continue;
      }
      checked++;
      const owner = owners.get(note.stream);
      if (owner === note.application) continue;
      violations.push({
        what: `${note.application} wrote without the lease, under epoch ${note.epoch}`,
        ...{ stream: note.stream, index: note.last, expected: owner ?? "nobody", found: note.application },
      });
    }
    return { checked, violations };
  },
};
