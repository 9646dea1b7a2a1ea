import { resourceFromAttributes } from "@opentelemetry/resources";
import { noTracing, type Tracing } from "@parley/a2a";
import type { Environment } from "@parley/agent";
import { StartError } from "../start-error.ts";

/** Spans are sent so often; a process that is killed loses those of this long. */
const SEND_EVERY_MS = 1_000;
/** A collector that takes none does not keep us from ending. */
const LAST_WORDS_MS = 2_000;

/** Traces of this process, sent by OTLP over HTTP. */
export interface RunningTraces extends Tracing {
  /** Sends what there is, within a moment, and stops. */
  stop(): Promise<void>;
}

/** Traces to the collector of `OTEL_EXPORTER_OTLP_ENDPOINT`; without one nothing is loaded and nothing is made. */
export async function startTracing(environment: Environment, version: string): Promise<RunningTraces> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = environment;
  if (!endpoint) return { ...noTracing, stop: async () => {} };
  const url = tracesUrl(endpoint);
  const { BatchSpanProcessor, TracerProvider } = await import("@opentelemetry/sdk-trace");
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  const exporter = new OTLPTraceExporter({ url, headers: headersIn(headers), timeoutMillis: LAST_WORDS_MS });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": environment.OTEL_SERVICE_NAME || "parley",
      "service.version": version,
    }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_EVERY_MS })],
  });
  return {
    tracer: provider.getTracer("parley", version),
    content: environment.PARLEY_TRACE_CONTENT === "on",
    // A collector that is gone is no reason to end badly.
    stop: () => provider.shutdown().catch(() => {}),
  };
}

function tracesUrl(endpoint: string): string {
  const url = URL.parse(endpoint);
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new StartError("OTEL_EXPORTER_OTLP_ENDPOINT must be a URL like http://localhost:4318");
  url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return url.href;
}

/** As OpenTelemetry writes them: `name=value`, separated by commas, with values as in a URL. */
function headersIn(text = ""): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.includes("="));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name.trim(), decodeURIComponent(value.join("=").trim())];
    }),
  );
}
