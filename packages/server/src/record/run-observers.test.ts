import { silentRunObserver } from "@parley/sessions";
import { expect, it, onTestFinished } from "vitest";
import { startMetrics } from "../telemetry/metrics.ts";
import { metricRunObserver } from "./run-observers.ts";

it("the metrics include runs, their outcomes, durations and takeovers (S4.30)", async () => {
  const metrics = startMetrics("1.2.3");
  onTestFinished(() => metrics.stop());
  const heard: string[] = [];
  const observer = metricRunObserver(metrics.meter, {
    ...silentRunObserver,
    ended: ({ runId }, state) => void heard.push(`${runId} ${state}`),
  });
  const run = (runId: string) => ({ sessionId: "s", runId });
  observer.taken(run("a"), false);
  observer.heard(run("a"));
  // It waited for a person and continues: that is not a takeover.
  observer.taken(run("a"), true);
  observer.ended(run("a"), "completed");
  observer.taken(run("b"), true);
  observer.heard(run("b"));
  observer.ended(run("b"), "failed");
  const text = await metrics.text();
  for (const line of [
    /^runs_started_total 1$/m,
    /^runs_takeovers_total 1$/m,
    /^runs_ended_total\{state="completed"\} 1$/m,
    /^runs_ended_total\{state="failed"\} 1$/m,
    /^runs_duration_seconds_count\{state="completed"\} 1$/m,
    /^runs_first_event_seconds_count 1$/m,
  ])
    expect(text).toMatch(line);
  expect(text).not.toContain('runs_duration_seconds_count{state="failed"}');
  expect(heard).toEqual(["a completed", "b failed"]);
});
