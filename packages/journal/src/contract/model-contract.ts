import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JournalUnderTest } from "./journal-fixture.ts";
import { ModelRun } from "./model-run.ts";

const share = fc.double({ min: 0, max: 1, noNaN: true });
const follower = fc.nat(3);

// Each step is a call on the run; the weights make most histories busy ones.
const step: fc.Arbitrary<(run: ModelRun) => unknown> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({ events: fc.integer({ min: 1, max: 4 }), merge: fc.boolean(), urgent: fc.boolean() })
      .map((options) => (run: ModelRun) => run.append(options)),
  },
  { weight: 1, arbitrary: fc.boolean().map((right) => (run: ModelRun) => run.appendExpecting(right)) },
  { weight: 1, arbitrary: fc.constant((run: ModelRun) => run.appendToTwo()) },
  { weight: 2, arbitrary: fc.constant((run: ModelRun) => run.settle()) },
  {
    weight: 2,
    arbitrary: fc.record({ after: share, limit: fc.integer({ min: 1, max: 9 }) }).map(
      ({ after, limit }) =>
        (run: ModelRun) =>
          run.read(after, limit),
    ),
  },
  { weight: 2, arbitrary: share.map((after) => (run: ModelRun) => run.follow(after)) },
  { weight: 2, arbitrary: follower.map((which) => (run: ModelRun) => run.cut(which)) },
  { weight: 2, arbitrary: follower.map((which) => (run: ModelRun) => run.resume(which)) },
  { weight: 1, arbitrary: fc.constant((run: ModelRun) => run.archive()) },
);

/** Random interleavings of append, read, follow, cut and resume against a plain array. */
export function describeModel(test: JournalUnderTest, runs: number): void {
  describe("model", () => {
    it(`behaves like an array in ${runs} random histories`, { timeout: 300_000 }, async () => {
      await test.reopen({ flushEveryMs: 0 });
      let histories = 0;
      const history = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 30 }), async (steps) => {
        const run = new ModelRun(test.current, `history-${++histories}`);
        for (const take of steps) await take(run);
        await run.check();
      });
      await fc.assert(history, { numRuns: runs });
      expect(histories).toBeGreaterThanOrEqual(runs);
    });
  });
}
