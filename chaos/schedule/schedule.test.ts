import fc from "fast-check";
import { expect, it } from "vitest";
import { nameOf, partsOf } from "./fault.ts";
import { schedule } from "./schedule.ts";

const MINUTE_MS = 60_000;
const seeds = fc.integer({ min: 0, max: 1_000_000 });

it("a schedule has the same faults for the same seed, and others for another", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      expect(schedule(seed, MINUTE_MS)).toEqual(schedule(seed, MINUTE_MS));
      expect(schedule(seed, MINUTE_MS)).not.toEqual(schedule(seed + 1, MINUTE_MS));
    }),
    { numRuns: 50 },
  );
});

it("a schedule hits no target that is still down, and ends in time", () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 1, max: 20 }), (seed, minutes) => {
      const until = new Map<string, number>();
      for (const { atMs, fault } of schedule(seed, minutes * MINUTE_MS)) {
        expect(atMs + fault.forMs).toBeLessThanOrEqual(minutes * MINUTE_MS);
        for (const part of partsOf(fault)) {
          expect(atMs).toBeGreaterThan(until.get(part) ?? 0);
          until.set(part, atMs + fault.forMs);
        }
      }
    }),
    { numRuns: 50 },
  );
});

it("a three-minute schedule has every kind of fault", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const names = schedule(seed, 3 * MINUTE_MS).map(({ fault }) => nameOf(fault));
      for (const kind of [
        ...["kill −9 node", "kill −9 harbour", "kill −9 postgres", "restart postgres", "pause node"],
        ...["pause harbour", "clock of node", "duplicate requests", "slow reader"],
        ...["full disk of postgres", "full disk of harbour"],
        ...["reset", "black-hole", "one-byte-a-second", "mid-character"].flatMap((how) =>
          ["client→node", "node→harbour", "node-"].map((hop) => `${how} ${hop}`),
        ),
      ])
        expect(names.find((name) => name.startsWith(kind))).toBeDefined();
    }),
    { numRuns: 50 },
  );
});
