import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openMemoryJournal } from "@parley/journal";
import { describe, expect, it, onTestFinished } from "vitest";
import { observeJournal } from "./gauges.ts";
import { metricsListener, startMetrics } from "./metrics.ts";

function started() {
  const metrics = startMetrics("1.2.3");
  onTestFinished(() => metrics.stop());
  return metrics;
}

describe("metrics", () => {
  it("are served in the Prometheus format", async () => {
    const metrics = started();
    metrics.meter.createCounter("things", { description: "What there is" }).add(2, { agent: "a" });
    const text = await metrics.text();
    expect(text).toContain("# HELP things_total What there is");
    expect(text).toContain("# TYPE things_total counter");
    expect(text).toContain('things_total{agent="a"} 2');
    expect(text).toContain('service_version="1.2.3"');
  });

  it("include the journal's counts", async () => {
    const metrics = started();
    const journal = openMemoryJournal();
    observeJournal(metrics.meter, journal);
    await journal.append("s", [1, 2, 3]);
    await journal.read("s", 0);
    const text = await metrics.text();
    expect(text).toMatch(/^journal_events 3$/m);
    expect(text).toMatch(/^journal_flushes 1$/m);
    expect(text).toMatch(/^journal_merged 0$/m);
    expect(text).toMatch(/^journal_reads \d+$/m);
    await journal.close();
  });

  it("that cannot be read are reported as an error, not left out", async () => {
    const metrics = started();
    metrics.meter.createObservableGauge("broken").addCallback(() => {
      throw new Error("no figure");
    });
    const reported: unknown[] = [];
    const server = createServer(metricsListener(metrics, (error) => reported.push(error))).listen(
      0,
      "127.0.0.1",
    );
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
    expect([response.status, reported]).toEqual([500, [expect.any(AggregateError)]]);
  });
});
