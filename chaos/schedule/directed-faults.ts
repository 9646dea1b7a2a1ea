import type { Asks } from "../clients/talker.ts";
import type { Fault } from "./fault.ts";

/** The ways in which a program can be broken on purpose (`chaos/breaks/`). */
export const BREAKS = ["deliver-before-commit", "ignore-epoch", "rerun-finished-tool"] as const;
export type Break = (typeof BREAKS)[number];

/** Longer than a lease. */
const LONG_MS = 13_000;

/** What reveals a break: the requests, and the faults in sequence, each injected while runs are streaming. */
export interface Showing {
  readonly asks: Asks;
  readonly faults: readonly Fault[];
}

/** The directed faults of each break. */
export const SHOWN_BY: Readonly<Record<Break, Showing>> = {
  "deliver-before-commit": {
    asks: { agent: "harbour", enters: 0, tokens: 200 },
    faults: [
      { kind: "kill", target: "node-a", forMs: 500 },
      { kind: "kill", target: "node-b", forMs: 500 },
      { kind: "kill", target: "node-a", forMs: 500 },
      { kind: "kill", target: "node-b", forMs: 500 },
    ],
  },
  "ignore-epoch": {
    asks: { agent: "harbour", enters: 0, tokens: 400 },
    faults: [
      { kind: "pause", target: "node-a", forMs: LONG_MS },
      { kind: "pause", target: "node-b", forMs: LONG_MS },
    ],
  },
  "rerun-finished-tool": {
    asks: { agent: "harbour", enters: 1, tokens: 100 },
    faults: [
      { kind: "kill", target: "harbour", forMs: 0 },
      { kind: "kill", target: "harbour", forMs: 0 },
    ],
  },
};
