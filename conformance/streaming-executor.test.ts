import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testTitles } from "./requirements/test-titles.ts";

const ROOT = join(import.meta.dirname, "..");
const LOOP = "packages/agent/src/loop";
const FAULTS = `${LOOP}/agent-faults.test.ts`;
const TELLER = `${LOOP}/event-teller.test.ts`;
const EXECUTOR = `${LOOP}/agent-executor.test.ts`;
const HOST = "packages/agent/src/host/hosted-agent.test.ts";

/** Each test and edge case named in the third seed, with our equivalent. */
const OURS: Readonly<Record<string, readonly [file: string, title: RegExp]>> = {
  test_streaming_executor_emits_chunks: [TELLER, /^text: the first chunk has append=false, later ones/],
  test_streaming_executor_final_event_has_last_chunk: [TELLER, /^completion: an empty last chunk closes/],
  test_executor_always_uses_stream: [EXECUTOR, /^always streams; sending and waiting gives the same/],
  test_streaming_with_tool_calls: [EXECUTOR, /^goes on streaming across tool calls/],
  test_streaming_error_emits_failed_status: [TELLER, /^error: what was said is closed, and the task fails/],
  test_server_creates_executor: [HOST, /^the server runs an agent's executor/],
  test_streaming_e2e_with_mock_agent: [HOST, /sent messages are answered whole, streamed ones live/],
  test_message_send_aggregates_response: [HOST, /^the server runs an agent's executor: sent messages/],
  "the model returns an empty response": [FAULTS, /^by saying nothing at all, completes the task/],
  "the connection drops in mid-stream": [HOST, /^a dropped connection does not affect the task/],
  "the agent raises an exception": [TELLER, /^errors: an exception fails the task with its message/],
  "a tool fails": [EXECUTOR, /^goes on when a tool fails, is unknown/],
  "the log of start, chunks and completion": [`${LOOP}/agent-telemetry.test.ts`, /^an agent's log tells of/],
  "the metric of chunks": [`${LOOP}/agent-telemetry.test.ts`, /^an agent's metrics count the chunks/],
  "the metric of latency": [
    "packages/a2a/src/telemetry/metric-observer.test.ts",
    /^measure the time between pieces/,
  ],
};

describe("the third seed's tests", () => {
  it.each(Object.entries(OURS))("%s has an equivalent test (S2.18)", (_, [file, title]) => {
    const titles = testTitles(readFileSync(join(ROOT, file), "utf8"));
    expect(titles).toContainEqual(expect.stringMatching(title));
  });
});
