import type { LogFields } from "@parley/a2a";
import { silentLog } from "@parley/a2a";
import { expect, it, onTestFinished } from "vitest";
import { startConformanceAgent } from "./conformance-agent.ts";

const ask = (url: string, method: string, messageId: string) =>
  fetch(`${url}/a2a/jsonrpc`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: { message: { messageId, role: "ROLE_USER", parts: [{ text: "hi" }] } },
    }),
  }).then((response) => response.text());

it("the agent counts what it streams and logs what it did (S2.16, S2.17, S3.5, S3.8)", async () => {
  const lines: [string, LogFields][] = [];
  const log = {
    ...silentLog,
    info: (fields: LogFields, message: string) => void lines.push([message, fields]),
  };
  const agent = await startConformanceAgent({ port: 0, coalesce: false, log });
  onTestFinished(() => agent.stop());
  await ask(agent.url, "SendStreamingMessage", "load-500");
  await ask(agent.url, "SendMessage", "tck-artifact-text");
  const response = await fetch(`${agent.url}/metrics`);
  expect(response.headers.get("content-type")).toContain("text/plain");
  const text = await response.text();
  const labels = 'agent="conformance",dialect="1.0"';
  expect(text).toContain(`a2a_stream_chunks_total{${labels}} 502`);
  expect(text).toContain(`a2a_artifacts_created_total{${labels}} 2`);
  expect(text).toContain(`a2a_append_violations_total{${labels}} 0`);
  expect(text).toContain(`a2a_tasks_total{${labels},state="completed"} 2`);
  expect(text).toContain(`a2a_execution_duration_seconds_count{${labels},state="completed"} 2`);
  expect(text).toMatch(/^journal_events \d{3,}$/m);
  expect(text).not.toMatch(/task_?id/i);
  const ended = lines
    .filter(([message]) => message === "task ended")
    .map(([, { chunks, bytes }]) => [chunks, bytes]);
  expect(ended).toEqual([
    [501, expect.any(Number)],
    [1, "Generated text content".length],
  ]);
  expect(lines.filter(([message]) => message === "artifact created")).toHaveLength(2);
});
