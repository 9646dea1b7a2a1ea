import { noTracing } from "@parley/a2a";
import { patient } from "@parley/testing/patient.ts";
import { expect, it } from "vitest";
import { startTracing, traceHeaders, tracesUrl } from "./start-tracing.ts";

it("no spans are created without a collector", async () => {
  const { tracer, content, stop } = await startTracing(undefined, "1.2.3");
  expect([tracer, content, tracer.startSpan("x").isRecording()]).toEqual([noTracing.tracer, false, false]);
  await stop();
});

it("an unreachable collector delays nothing, not even shutdown", async () => {
  const settings = { url: "http://127.0.0.1:9/v1/traces", headers: {}, service: "parley", content: false };
  const { tracer, stop } = await startTracing(settings, "1.2.3");
  tracer.startSpan("x").end();
  const start = performance.now();
  await stop();
  expect(performance.now() - start).toBeLessThan(patient(5_000));
});

it("traces are sent to the collector's own path, with its configured headers", () => {
  expect(tracesUrl("http://localhost:4318")).toBe("http://localhost:4318/v1/traces");
  expect(tracesUrl("https://traces.example/otlp/?tenant=a")).toBe(
    "https://traces.example/otlp/v1/traces?tenant=a",
  );
  expect(traceHeaders(" x-key = a%20b , authorization=Basic%20eA==")).toEqual({
    "x-key": "a b",
    authorization: "Basic eA==",
  });
  expect([traceHeaders(undefined), traceHeaders("")]).toEqual([{}, {}]);
  for (const wrong of ["nonsense", "=value", "a=%"])
    expect(() => traceHeaders(wrong)).toThrow("must be like");
  for (const wrong of ["localhost", "ftp://x", "nonsense"])
    expect(() => tracesUrl(wrong)).toThrow("must be a URL");
});
