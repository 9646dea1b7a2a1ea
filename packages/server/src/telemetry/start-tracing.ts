import { resourceFromAttributes } from "@opentelemetry/resources";
import { noTracing, type Tracing } from "@parley/a2a";
import type { TraceSettings } from "./trace-settings.ts";

/** Spans are sent so often; a process that is killed loses those of this long. */
const SEND_EVERY_MS = 1_000;
/** A collector that does not answer keeps nobody from ending. */
const PATIENCE_MS = 2_000;

/** Traces of this process, sent by OTLP over HTTP. */
export interface RunningTraces extends Tracing {
  /** Sends what there is, within a moment, and stops. */
  stop(): Promise<void>;
}

/** Sends traces to a collector; without settings nothing is loaded and nothing is made. */
export async function startTracing(
  settings: TraceSettings | undefined,
  version: string,
): Promise<RunningTraces> {
  if (!settings) return { ...noTracing, stop: async () => {} };
  const { url, headers, service, content } = settings;
  const { BatchSpanProcessor, TracerProvider } = await import("@opentelemetry/sdk-trace");
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: PATIENCE_MS });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": service, "service.version": version }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_EVERY_MS })],
  });
  return {
    tracer: provider.getTracer("parley", version),
    content,
    // A collector that is gone is no reason to end badly.
    stop: () => provider.shutdown().catch(() => {}),
  };
}
