import type { RequestListener } from "node:http";
import type { Meter } from "@opentelemetry/api";
import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AggregationTemporality, MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";

/** As the text format of Prometheus has it. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** The measurements of this process. */
export interface Metrics {
  readonly meter: Meter;
  text(): Promise<string>;
  stop(): Promise<void>;
}

/** Collects only when it is asked. */
class OnRequestReader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE });
  }
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** Begins to measure; nothing is sent anywhere and no port is opened, whoever wants the figures asks for them. */
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

/** Answers a request for the figures, for servers that have no router. */
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
