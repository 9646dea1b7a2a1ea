import type { Asks } from "../clients/talker.ts";
import type { Fault, ScheduledFault } from "./fault.ts";

/** The ways in which a build can be broken on purpose (`PARLEY_BREAK`). */
export const BREAKS = ["deliver-before-commit", "ignore-epoch", "rerun-finished-tool"] as const;
export type Break = (typeof BREAKS)[number];

/** Longer than a lease. */
const LONG_MS = 13_000;

/** For each, what has to happen for it to show. */
const SHOWN_BY: Readonly<Record<Break, readonly [Fault, ...Fault[]]>> = {
  "deliver-before-commit": [
    { kind: "kill", target: "node-a", forMs: 500 },
    { kind: "kill", target: "node-b", forMs: 500 },
  ],
  "ignore-epoch": [
    { kind: "pause", target: "node-a", forMs: LONG_MS },
    { kind: "pause", target: "node-b", forMs: LONG_MS },
  ],
  "rerun-finished-tool": [{ kind: "kill", target: "harbour", forMs: 0 }],
};
/** What has to be asked for, so that answers are under way when it happens. */
export const ASKED_FOR: Readonly<Record<Break, Asks>> = {
  "deliver-before-commit": { agent: "harbour", enters: 0, tokens: 200 },
  "ignore-epoch": { agent: "harbour", enters: 0, tokens: 400 },
  "rerun-finished-tool": { agent: "harbour", enters: 1, tokens: 100 },
};
const FIRST_MS = 4_000;
const PAUSE_MS = 7_000;

/** The faults that show this break, again and again for so long. */
export function directedFaults(broken: Break, lengthMs: number): ScheduledFault[] {
  const faults: ScheduledFault[] = [];
  for (let atMs = FIRST_MS; ; )
    for (const fault of SHOWN_BY[broken]) {
      if (atMs + fault.forMs > lengthMs) return faults;
      faults.push({ atMs, fault });
      atMs += fault.forMs + PAUSE_MS;
    }
}
