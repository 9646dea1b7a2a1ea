import { resourceFromAttributes } from "@opentelemetry/resources";
import { noTracing, type Tracing } from "@parley/a2a";
import { StartError } from "../start-error.ts";

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

/** Where traces are sent, under which name, and whether they hold what was said. */
export interface TraceSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
  readonly content: boolean;
}

/** Where a collector takes traces; throws a `StartError` for what is no address. */
export function tracesUrl(endpoint: string): string {
  const url = URL.parse(endpoint);
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new StartError("OTEL_EXPORTER_OTLP_ENDPOINT must be a URL like http://localhost:4318");
  url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return url.href;
}

/** Headers as OpenTelemetry writes them: `name=value`, separated by commas, values as in a URL. */
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
    // They hold keys: what is wrong with them is not repeated.
    throw new StartError("OTEL_EXPORTER_OTLP_HEADERS must be like name=value,other=value");
  }
}
