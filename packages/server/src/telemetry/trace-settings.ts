import { StartError } from "../start-error.ts";

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
