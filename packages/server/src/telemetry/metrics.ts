import type { RequestListener } from "node:http";
import type { Meter } from "@opentelemetry/api";
import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AggregationTemporality, MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";

/** The content type of the Prometheus text format. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** The metrics of this process. */
export interface Metrics {
  readonly meter: Meter;
  text(): Promise<string>;
  stop(): Promise<void>;
}

/** Collects only on request. */
class OnRequestReader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE });
  }
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** Starts collecting metrics; nothing is pushed and no port is opened, metrics are read on request. */
export function startMetrics(version: string): Metrics {
  const reader = new OnRequestReader();
  const resource = resourceFromAttributes({ "service.name": "parley", "service.version": version });
  const provider = new MeterProvider({ resource, readers: [reader] });
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  return {
    meter: provider.getMeter("parley"),
    async text() {
      const { resourceMetrics, errors } = await reader.collect();
      if (errors.length > 0) throw new AggregateError(errors, "Some measurements could not be read");
      return serializer.serialize(resourceMetrics);
    },
    stop: () => provider.shutdown(),
  };
}

/** Answers a metrics request, for servers without a router. */
export function metricsListener(metrics: Metrics, report: (error: unknown) => void): RequestListener {
  return (_request, response) => {
    const headers = { "Content-Type": METRICS_TYPE, "Cache-Control": "no-store" };
    metrics.text().then(
      (text) => response.writeHead(200, headers).end(text),
      (error: unknown) => {
        report(error);
        response.writeHead(500).end();
      },
    );
  };
}
