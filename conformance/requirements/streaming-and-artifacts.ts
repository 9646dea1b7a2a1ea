import { ofStep } from "./requirement.ts";

/** The third seed: the executor that always streams; and the fourth: whose artifact a chunk belongs to. */
export const streamingAndArtifacts = [
  ...ofStep("a2a", [
    ["S2.2", "Sending and waiting aggregates what was streamed"],
    ["S2.3", "Streaming is live"],
    ["S2.10", "The first chunk has append=false, later ones true"],
    ["S2.15", "An exception fails the task with its message"],
    ["S3.1", "append is decided by artifactId where chunks are forwarded"],
    ["S3.2", "append is decided by artifactId for notices"],
    ["S3.3", "append is decided by artifactId in the agent's own stream"],
    ["S3.4", "append is decided by artifactId for tools at work at once"],
    ["S3.5", "One structured log line when an artifact is created"],
    ["S3.6", "A sub-agent that streams and ends with data"],
    ["S3.7", "Two tools at once"],
    ["S3.8", "Violations are counted and exported, and there are none; a warning beyond 100 artifacts"],
    ["S3.10", "An artifact without an id from a peer is repaired, counted and logged"],
  ]),
  ...ofStep("agent", [
    ["S2.1", "The executor always streams"],
    ["S2.4", "Execution event: text chunk"],
    ["S2.5", "Execution event: thinking chunk"],
    ["S2.6", "Execution event: tool selected"],
    ["S2.7", "Execution event: tool result"],
    ["S2.8", "Execution event: complete, with its duration"],
    ["S2.9", "Execution event: error"],
    ["S2.11", "No chunks at all: the task completes with one artifact that says so"],
    ["S2.13", "Streaming goes on across tool calls; a tool's error does not end it"],
    ["S2.14", "A dropped connection harms nothing, and the final state can be asked for"],
    ["S2.16", "Logs: start, throttled chunk count, completion with chunks and bytes"],
    ["S2.17", "Metrics: chunks and their latency"],
    ["S2.18", "Every test that the document names exists under our names"],
    ["S2.20", "Chunks are coalesced under load"],
    ["S2.23", "Thinking tokens as an artifact of their own, off by default"],
  ]),
];
