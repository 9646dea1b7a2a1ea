import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";

/** As the W3C writes it; what a later version may add after the flags is not ours to read. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** The tracer, and whether spans may hold message content. */
export interface Tracing {
  readonly tracer: Tracer;
  readonly content: boolean;
}

/** Makes no spans; a caller's trace is passed on unchanged. */
export const noTracing: Tracing = { tracer: new ProxyTracerProvider().getTracer("parley"), content: false };

export interface SpanBeginning {
  /** Whether the work is a call to another service; otherwise it is done here. */
  readonly kind?: "client" | "server" | "internal";
  readonly attributes?: Attributes;
}

const KINDS = { client: SpanKind.CLIENT, server: SpanKind.SERVER, internal: SpanKind.INTERNAL } as const;

/** A place in a trace, beneath which spans begin. */
export class Trace {
  readonly tracing: Tracing;
  readonly #context: Context;

  constructor(tracing: Tracing, context: Context) {
    this.tracing = tracing;
    this.#context = context;
  }

  /** The caller's place in a trace; without a valid `traceparent`, a new trace begins. */
  static from(traceparent: string | undefined, tracing: Tracing = noTracing): Trace {
    const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(traceparent ?? "") ?? [];
    const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
    const isKnown = isSpanContextValid(parent);
    return new Trace(tracing, isKnown ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT);
  }

  /** What to tell others of this place; undefined: there is no trace. */
  get traceparent(): string | undefined {
    const place = trace.getSpanContext(this.#context);
    if (!place || !isSpanContextValid(place)) return undefined;
    return `00-${place.traceId}-${place.spanId}-${place.traceFlags.toString(16).padStart(2, "0")}`;
  }

  /** Begins a span, which the caller must end. */
  begin(name: string, { kind = "internal", attributes = {} }: SpanBeginning = {}): OpenSpan {
    const span = this.tracing.tracer.startSpan(name, { kind: KINDS[kind], attributes }, this.#context);
    return new OpenSpan(this.tracing, trace.setSpan(this.#context, span), span);
  }

  /** Runs work within its own span, which fails if the work throws. */
  async within<Result>(
    name: string,
    beginning: SpanBeginning,
    work: (span: OpenSpan) => Promise<Result>,
  ): Promise<Result> {
    const span = this.begin(name, beginning);
    try {
      return await work(span);
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      span.end();
    }
  }
}

/** A span under way, and the place beneath it. */
export class OpenSpan extends Trace {
  readonly #span: Span;

  constructor(tracing: Tracing, context: Context, span: Span) {
    super(tracing, context);
    this.#span = span;
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  /** Records message content, if the operator enabled that. */
  said(name: string, content: () => unknown): void {
    if (!this.tracing.content || !this.#span.isRecording()) return;
    const said = content();
    this.#span.setAttribute(name, typeof said === "string" ? said : JSON.stringify(said));
  }

  /** Records only the kind of an error, because its message may hold anything. */
  fail(failure: unknown): void {
    const type = failure instanceof Error ? failure.name : String(failure);
    this.#span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.#span.end();
  }
}
