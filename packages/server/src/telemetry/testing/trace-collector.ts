import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";

/** A span in OTLP JSON, as far as tests use it. */
export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** For tests: a trace collector that accepts OTLP JSON over HTTP. */
export class TraceCollector {
  readonly spans: SentSpan[] = [];
  /** All received bodies, unchanged. */
  bodies = "";
  #url = "";

  /** Collects until the test ends. */
  static async start(): Promise<TraceCollector> {
    const collector = new TraceCollector();
    const server = createServer(async (request, response) => {
      const body = await text(request);
      collector.bodies += body;
      const sent = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] };
      if (request.url === "/v1/traces")
        for (const { scopeSpans } of sent.resourceSpans)
          for (const { spans } of scopeSpans) collector.spans.push(...spans);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    collector.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return collector;
  }

  get url(): string {
    return this.#url;
  }

  /** Resolves with the span of this name (and parent, if several have it) once it was exported. */
  async span(name: string, parentSpanId?: string): Promise<SentSpan> {
    const find = () =>
      this.spans.find(
        (span) => span.name === name && (parentSpanId === undefined || span.parentSpanId === parentSpanId),
      );
    await expect.poll(() => find()?.name ?? this.#known, { timeout: 60_000 }).toBe(name);
    return find() as SentSpan;
  }

  get #known(): string {
    return this.spans
      .map(({ name, spanId, parentSpanId }) => `${name} ${spanId} < ${parentSpanId}`)
      .join("\n");
  }
}

/** The value of a span's attribute. */
export function attributeOf({ attributes }: SentSpan, name: string): unknown {
  const value = attributes.find(({ key }) => key === name)?.value ?? {};
  return Object.values(value)[0];
}
