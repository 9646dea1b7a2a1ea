import { expect, it } from "vitest";
import { judge, reportOf } from "./report.ts";
import { smallEvidence } from "./testing/small-evidence.ts";

const reported = (change: Partial<ReturnType<typeof smallEvidence>> = {}) => {
  const evidence = { ...smallEvidence(), ...change };
  return reportOf(7, evidence, judge(evidence));
};

it("the report lists the run, each fault with its target and survival, and each verdict with its checks", () => {
  const report = reported();
  expect(report).toMatch(/^seed 7$/m);
  expect(report).toMatch(/^Ran 2026-01-01T00:00:00.000Z for 1.0 minutes: Node v\d+/m);
  expect(report).toMatch(/^ {2}node-a: 2 lives, 0 ends by itself, at most 100 MB$/m);
  expect(report).toMatch(/^ +1 +1 +1 +\d {2}kill −9 node-a$/m);
  expect(report).toMatch(/^ +4 +4 +4 +\d {2}all$/m);
  expect(report).toContain("1 takeovers of runs");
  expect(report).toMatch(/(?<!\d)\d+ frames that clients got, \d+ bytes, compared with the log/);
  expect(report).toMatch(/✓ 19 .*: holds \(\d+ checked\)/);
  expect(report).toMatch(/^25 of 25 promises hold, 0 violated, 0 not exercised; \d+ checks$/m);
});

it("the report lists a fault without a target as not felt, with its kind", () => {
  const { faults } = smallEvidence();
  const report = reported({ faults: faults.map((each) => ({ ...each, felt: 0 })) });
  expect(report).toMatch(/^ +1 +0 +0 +\d {2}slow reader$/m);
  expect(report).toContain("Never felt: clock of node-a, full disk of postgres, kill −9 node-a, slow reader");
});

it("the report marks unexercised invariants, and shows where one was violated", () => {
  const report = reported({ offlineClients: [], ledger: ["kone", "kone"] });
  expect(report).toMatch(/– 19 .*: not exercised/);
  expect(report).toMatch(
    /✗ {2}A .*: violated \(2 checked\)\n +\{"what":"the tool was called again for kone"/,
  );
  expect(report).toContain("23 of 25 promises hold, 1 violated, 1 not exercised");
});
