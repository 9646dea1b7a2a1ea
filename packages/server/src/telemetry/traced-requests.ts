import { AsyncLocalStorage } from "node:async_hooks";
import { noTracing, Trace, type Tracing } from "@parley/a2a";
import type { MiddlewareHandler } from "hono";
import { routePath } from "hono/route";

const READS = new Set(["GET", "HEAD", "OPTIONS"]);
const places = new AsyncLocalStorage<string | undefined>();

/** The trace context of the current request; undefined if there is none. */
export function currentTraceparent(): string | undefined {
  return places.getStore();
}

/** Traces commands as children of the caller's span; reads are not traced, and streams would never end. */
export function tracedRequests(tracing: Tracing): MiddlewareHandler {
  const isOff = tracing.tracer === noTracing.tracer;
  return async (context, next) => {
    const { method } = context.req;
    if (isOff || READS.has(method)) return next();
    const trace = Trace.from(context.req.header("traceparent"), tracing);
    const attributes = { "http.request.method": method };
    await trace.within(method, { kind: "server", attributes }, async (span) => {
      await places.run(span.traceparent, next);
      const route = routePath(context, -1);
      const { status } = context.res;
      span.rename(`${method} ${route}`);
      span.set({ "http.route": route, "http.response.status_code": status });
      if (status >= 500) span.fail(status);
    });
  };
}
