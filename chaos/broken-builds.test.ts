import { expect, it } from "vitest";
import { chaosRun } from "./testing/chaos-run.ts";

/** A run of each takes a minute or more: `npm run soak` has them all. */
const BUILDS = Number(process.env.PARLEY_BROKEN_BUILDS ?? 1);

it.each(
  [
    ["ignore-epoch", "13"],
    ["deliver-before-commit", "2"],
    ["rerun-finished-tool", "A"],
  ].slice(0, BUILDS),
)(
  "a build broken by %s violates invariant check %s",
  {
    timeout: 300_000,
  },
  async (broken, promise) => {
    const run = await chaosRun("--seed", "1", "--broken", broken);
    expect(run.violated, run.report).toContain(promise);
    expect(run.exitCode).toBe(1);
    // The violation has to come with evidence.
    const finding = run.judgements.find(({ invariant }) => invariant.id === promise)?.finding;
    expect(finding?.violations[0]?.what).toBeTruthy();
  },
);
