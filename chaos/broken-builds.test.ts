import { expect, it } from "vitest";
import { chaosRun } from "./testing/chaos-run.ts";

it.each([
  ["deliver-before-commit", "2"],
  ["ignore-epoch", "13"],
  ["rerun-finished-tool", "A"],
])(
  "a build that is broken by %s is caught, by the promise %s",
  {
    timeout: 300_000,
  },
  async (broken, promise) => {
    const run = await chaosRun("--seed", "1", "--broken", broken);
    expect(run.violated, run.report).toContain(promise);
    expect(run.exitCode).toBe(1);
    // With evidence that leads somewhere.
    const finding = run.judgements.find(({ invariant }) => invariant.id === promise)?.finding;
    expect(finding?.violations[0]?.what).toBeTruthy();
  },
);
