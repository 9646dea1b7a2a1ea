import { CUTS, type Cut, DISKS, type Fault, type Hop, NODES, partsOf, type ScheduledFault } from "./fault.ts";
import { SeededRandom } from "./seeded-random.ts";

const FIRST_MS = 2_000;
const HOUR_MS = 3_600_000;
/** Longer than a lease, so that another node takes over. */
const LONG_PAUSE_MS = 12_000;

type Draw = (random: SeededRandom) => Fault;

const seconds = (random: SeededRandom, least: number, most: number) =>
  random.between(least * 1_000, most * 1_000);
const cutsOf = (...hops: readonly [Hop, ...Hop[]]): Draw[] =>
  CUTS.map((how: Cut) => (random) => ({
    ...{ kind: "cut", hop: random.pick(hops), how },
    forMs: how === "reset" ? 0 : seconds(random, 1, 5),
  }));

/** Every kind once; a schedule goes through all of them in an order of its own before one comes again. */
const KINDS: readonly Draw[] = [
  (random) => ({ kind: "kill", target: random.pick(NODES), forMs: seconds(random, 0, 4) }),
  (random) => ({ kind: "kill", target: random.pick(NODES), forMs: seconds(random, 0, 4) }),
  (random) => ({ kind: "kill", target: "harbour", forMs: seconds(random, 0, 3) }),
  (random) => ({ kind: "kill", target: "postgres", forMs: seconds(random, 0, 3) }),
  (random) => ({ kind: "restart-postgres", forMs: seconds(random, 0, 2) }),
  (random) => ({ kind: "pause", target: random.pick(NODES), forMs: seconds(random, 1, 6) }),
  (random) => ({ kind: "pause", target: random.pick(NODES), forMs: LONG_PAUSE_MS }),
  (random) => ({ kind: "pause", target: "harbour", forMs: seconds(random, 1, 6) }),
  ...cutsOf("client→node-a", "client→node-b"),
  ...cutsOf("node-a→postgres", "node-b→postgres"),
  ...cutsOf("node→harbour"),
  ...DISKS.map(
    (disk): Draw =>
      (random) => ({ kind: "full-disk", disk, forMs: seconds(random, 2, 4) }),
  ),
  (random) => ({
    ...{ kind: "clock", target: random.pick(NODES), offsetMs: random.pick([-HOUR_MS, HOUR_MS]) },
    forMs: seconds(random, 5, 15),
  }),
  (random) => ({ kind: "duplicates", forMs: seconds(random, 3, 8) }),
  (random) => ({ kind: "slow-reader", forMs: seconds(random, 3, 8) }),
];

/** The faults of a run of this length, in time: the same seed gives the same faults. */
export function schedule(seed: number, lengthMs: number): ScheduledFault[] {
  const random = new SeededRandom(`faults of ${seed}`);
  const kinds: Draw[] = [];
  const busyUntil = new Map<string, number>();
  const faults: ScheduledFault[] = [];
  for (let atMs = FIRST_MS; ; atMs += random.between(700, 2_300)) {
    if (kinds.length === 0) kinds.push(...random.shuffled(KINDS));
    const fault = kinds.shift()?.(random);
    if (!fault) continue;
    const parts = partsOf(fault);
    // Waits until the target has recovered, plus a fault-free moment.
    atMs = Math.max(atMs, ...parts.map((part) => (busyUntil.get(part) ?? 0) + 500));
    if (atMs + fault.forMs > lengthMs) return faults;
    for (const part of parts) busyUntil.set(part, atMs + fault.forMs);
    faults.push({ atMs, fault });
  }
}
