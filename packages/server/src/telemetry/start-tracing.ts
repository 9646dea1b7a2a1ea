import { resourceFromAttributes } from "@opentelemetry/resources";
import { noTracing, type Tracing } from "@parley/a2a";
import { StartError } from "../start-error.ts";

/** The export interval; a killed process loses the spans of this period. */
const SEND_EVERY_MS = 1_000;
/** An unresponsive collector delays shutdown by at most this long. */
const TIMEOUT_MS = 2_000;

/** Exports the traces of this process by OTLP over HTTP. */
export interface RunningTraces extends Tracing {
  /** Flushes pending spans within the timeout, and stops. */
  stop(): Promise<void>;
}

/** Sends traces to a collector; without settings no SDK is loaded and no spans are created. */
export async function startTracing(
  settings: TraceSettings | undefined,
  version: string,
): Promise<RunningTraces> {
  if (!settings) return { ...noTracing, stop: async () => {} };
  const { url, headers, service, content } = settings;
  const { BatchSpanProcessor, TracerProvider } = await import("@opentelemetry/sdk-trace");
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: TIMEOUT_MS });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": service, "service.version": version }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_EVERY_MS })],
  });
  return {
    tracer: provider.getTracer("parley", version),
    content,
    // An unreachable collector must not fail the shutdown.
    stop: () => provider.shutdown().catch(() => {}),
  };
}

/** Where traces are sent, under which service name, and whether they include message content. */
export interface TraceSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
  readonly content: boolean;
}

/** The collector's traces URL; throws a `StartError` if it is invalid. */
export function tracesUrl(endpoint: string): string {
  const url = URL.parse(endpoint);
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new StartError("OTEL_EXPORTER_OTLP_ENDPOINT must be a URL like http://localhost:4318");
  url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return url.href;
}

/** Parses headers in OpenTelemetry's format: `name=value`, separated by commas, values URL-encoded. */
export function traceHeaders(text = ""): Record<string, string> {
  try {
    const pairs = text.split(",").filter((pair) => pair.trim() !== "");
    return Object.fromEntries(
      pairs.map((pair) => {
        const [, name = "", value = ""] = /^\s*([\w-]+)\s*=(.*)$/.exec(pair) ?? [];
        if (name === "") throw new URIError("no name");
        return [name, decodeURIComponent(value.trim())];
      }),
    );
  } catch {
    // They may contain keys, so the error does not quote them.
    throw new StartError("OTEL_EXPORTER_OTLP_HEADERS must be like name=value,other=value");
  }
}
