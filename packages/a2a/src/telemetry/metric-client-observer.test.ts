import { expect, it } from "vitest";
import { metricClientObserver } from "./metric-client-observer.ts";
import { RecordingMeter } from "./testing/recording-meter.ts";

it("metricClientObserver counts other agents' protocol violations by kind (S3.8, S3.10)", () => {
  const recorded = new RecordingMeter();
  const observer = metricClientObserver(recorded.meter);
  observer.appendViolation({ taskId: "t", artifactId: "a" });
  observer.artifactRepaired({ taskId: "t", artifactId: "c" });
  observer.foreignEvent("t");
  const counted = recorded.sums("a2a.client.oddities").filter(([, count]) => count > 0);
  expect(counted).toEqual([
    [{ kind: "append_violation" }, 1],
    [{ kind: "artifact_without_id" }, 1],
    [{ kind: "foreign_event" }, 1],
  ]);
});
