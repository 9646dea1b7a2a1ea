import { expect, it } from "vitest";
import { chaosRun } from "./testing/chaos-run.ts";

const SEED = process.env.PARLEY_CHAOS_SEED ?? "1";
const MINUTES = process.env.PARLEY_CHAOS_MINUTES ?? "0.75";

it("two nodes, Postgres, a supervisor and three agents hold every exercised invariant under seeded faults (+12, invariants 1 to 20)", {
  timeout: 300_000 + Number(MINUTES) * 120_000,
}, async () => {
  const run = await chaosRun("--seed", SEED, "--minutes", MINUTES);
  const { exitCode, report, violated, notExercised, judgements } = run;
  const violations = judgements.flatMap(({ finding }) => finding.violations.slice(0, 3));
  expect(violated, `${JSON.stringify(violations, null, 1)}\n${report}`).toEqual([]);
  expect(exitCode).toBe(0);
  expect(report).toContain(`seed ${SEED}`);
  expect(report).toMatch(/^Faults: [1-9]/m);
  // A short run reports unexercised invariants and does not count them as held.
  expect(notExercised.length).toBeLessThan(5);
});
