/** The nodes of the platform, and the agent that has a process of its own. */
export const NODES = ["node-a", "node-b"] as const;
export type NodeName = (typeof NODES)[number];
type ProcessName = NodeName | "harbour" | "postgres";

/** The connections that go through a faulty proxy. */
export const HOPS = [
  ...(["client→node-a", "client→node-b"] as const),
  ...(["node-a→postgres", "node-b→postgres", "node→harbour"] as const),
] as const;
export type Hop = (typeof HOPS)[number];

/** How a connection fails: reset, black hole, one byte a second, or cut within a character. */
export const CUTS = ["reset", "black-hole", "one-byte-a-second", "mid-character"] as const;
export type Cut = (typeof CUTS)[number];

/** Whose disk is small. */
export const DISKS = ["postgres", "harbour"] as const;
type Disk = (typeof DISKS)[number];

/** A fault and its duration. */
export type Fault =
  | { readonly kind: "kill"; readonly target: ProcessName; readonly forMs: number }
  | { readonly kind: "restart-postgres"; readonly forMs: number }
  | { readonly kind: "pause"; readonly target: NodeName | "harbour"; readonly forMs: number }
  | { readonly kind: "cut"; readonly hop: Hop; readonly how: Cut; readonly forMs: number }
  | { readonly kind: "full-disk"; readonly disk: Disk; readonly forMs: number }
  | { readonly kind: "clock"; readonly target: NodeName; readonly offsetMs: number; readonly forMs: number }
  /** Sends each command to both nodes at once under one key. */
  | { readonly kind: "duplicates"; readonly forMs: number }
  /** Makes a follower read slowly. */
  | { readonly kind: "slow-reader"; readonly forMs: number };

export interface ScheduledFault {
  readonly atMs: number;
  readonly fault: Fault;
}

/** The parts that a fault affects, each of which has at most one fault at a time. */
export function partsOf(fault: Fault): readonly string[] {
  switch (fault.kind) {
    case "kill":
    case "pause":
      return [fault.target];
    case "restart-postgres":
      return ["postgres"];
    case "cut":
      return [fault.hop];
    case "full-disk":
      return [fault.disk];
    case "clock":
      return [`clock of ${fault.target}`];
    case "duplicates":
    case "slow-reader":
      return [fault.kind];
    default:
      return fault satisfies never;
  }
}

/** A label for the fault, the same for all of its kind. */
export function nameOf(fault: Fault): string {
  switch (fault.kind) {
    case "kill":
      return `kill −9 ${fault.target}`;
    case "pause":
      return `pause ${fault.target}`;
    case "restart-postgres":
      return "restart postgres";
    case "cut":
      return `${fault.how} ${fault.hop}`;
    case "full-disk":
      return `full disk of ${fault.disk}`;
    case "clock":
      return `clock of ${fault.target}`;
    case "duplicates":
      return "duplicate requests";
    case "slow-reader":
      return "slow reader";
    default:
      return fault satisfies never;
  }
}
