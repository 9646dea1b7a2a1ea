import { randomUUID } from "node:crypto";
import { type Message, type Part, type StreamResponse, type Task, textOf } from "@parley/a2a";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConformanceAgent, startConformanceAgent } from "./conformance-agent.ts";
import { INTEROP_CLIENTS, type InteropClient } from "./testing/interop-clients.ts";

let agent: ConformanceAgent;

beforeAll(async () => {
  agent = await startConformanceAgent({ port: 0, grpcPort: 0, coalesce: false });
});
afterAll(() => agent.stop());

/** A message whose id prefix selects the agent's behaviour. */
function message(behaviour: string, more: Partial<Message> = {}): Message {
  const messageId = `${behaviour}-${randomUUID()}`;
  return { messageId, role: "ROLE_USER", parts: [{ text: "hello" }], ...more };
}

async function taskOf(client: InteropClient, ...request: Parameters<InteropClient["send"]>): Promise<Task> {
  const answer = await client.send(...request);
  if ("task" in answer) return answer.task;
  throw new Error("The agent answered with a message");
}

/** The outcome of a task, without ids and timestamps. */
function outcome({ status, artifacts = [] }: Task): object {
  return {
    state: status.state,
    ...(status.message && { says: textOf(status.message) }),
    artifacts: artifacts.map(({ name, parts }) => ({ name, parts: parts.map(withoutFilename) })),
  };
}

// The clients of v0.3 over REST and gRPC have no place for the name of a file.
function withoutFilename({ filename: _, ...part }: Part): Part {
  return part;
}

/** An event as its kind, state or text. */
function summarize(event: StreamResponse): string {
  if ("task" in event) return "task";
  if ("message" in event) return `message: ${textOf(event.message)}`;
  return "statusUpdate" in event ? event.statusUpdate.status.state : textOf(event.artifactUpdate.artifact);
}

async function collect<T>(events: AsyncIterable<T>, onFirst?: () => Promise<unknown>): Promise<T[]> {
  const collected: T[] = [];
  for await (const event of events) if (collected.push(event) === 1) await onFirst?.();
  return collected;
}

/** The error's class name, the same in every release and binding. */
async function refusal(call: Promise<unknown> | AsyncIterable<unknown>): Promise<string> {
  try {
    await (call instanceof Promise ? call : collect(call));
  } catch (error) {
    // 0.3.14 derives one class for each binding from those that it exports.
    const name = error instanceof Error ? error.constructor.name : "";
    return name.replace(/^(JsonRpc|Rest|Grpc)/, "").replace(/JSONRPC/, "");
  }
  return "none";
}

const file = { raw: Buffer.from("Generated file content").toString("base64"), mediaType: "text/plain" };
const url = { url: "https://example.com/output.txt", mediaType: "text/plain" };

/** Each behaviour and the outcome that every client must see. */
const OUTCOMES = {
  "tck-complete-task": { state: "TASK_STATE_COMPLETED", says: "Hello from TCK", artifacts: [] },
  "tck-artifact-text": completed({ text: "Generated text content" }),
  "tck-artifact-file": completed(file),
  "tck-artifact-file-url": completed(url),
  "tck-artifact-data": completed({ data: { key: "value", count: 42 } }),
  "tck-input-required": { state: "TASK_STATE_INPUT_REQUIRED", says: "Please go on", artifacts: [] },
  "tck-reject-task": { state: "TASK_STATE_REJECTED", says: "rejected", artifacts: [] },
};

function completed(part: Part): object {
  return { state: "TASK_STATE_COMPLETED", artifacts: [{ name: "result", parts: [part] }] };
}

describe.each(Object.entries(INTEROP_CLIENTS))("%s (+11)", (_, connect) => {
  let client: InteropClient;
  beforeAll(async () => {
    client = await connect(agent);
  });

  it.each(Object.entries(OUTCOMES))(
    "sees the expected outcome of %s, in the response and by GetTask",
    async (behaviour, expected) => {
      const task = await taskOf(client, message(behaviour));
      expect(outcome(task)).toEqual(expected);
      expect(outcome(await client.get(task.id))).toEqual(expected);
    },
  );

  it("gets a message when the agent answers with one, sent and streamed", async () => {
    const answer = await client.send(message("tck-message-response"));
    expect("message" in answer && textOf(answer.message)).toBe("Direct message response");
    const streamed = await collect(client.stream(message("tck-message-response")));
    expect(streamed.map(summarize)).toEqual(["message: Direct message response"]);
  });

  it("reads a stream: the task, its chunks in order, the end (S0.2, S0.5)", async () => {
    const events = await collect(client.stream(message("tck-stream-artifact-chunked")));
    const expected = ["task", "TASK_STATE_WORKING", "chunk-1 ", "chunk-2", "TASK_STATE_COMPLETED"];
    expect(events.map(summarize)).toEqual(expected);
  });

  it("continues a task that asked for input", async () => {
    const { id, contextId } = await taskOf(client, message("tck-input-required"));
    const task = await taskOf(client, message("tck-complete-task", { taskId: id, contextId }));
    expect([task.id, task.contextId]).toEqual([id, contextId]);
    expect(outcome(task)).toEqual(OUTCOMES["tck-complete-task"]);
  });

  it("round-trips text, files, data and metadata", async () => {
    const parts = [
      { text: "é" },
      { ...file, filename: "f" },
      url,
      { data: { deep: { list: [1, "2", true] } } },
    ];
    const metadata = { trace: { id: "t-1", sampled: true } };
    const sent = message("tck-complete-task", { parts, metadata });
    const { id } = await taskOf(client, sent);
    const { history = [] } = await client.get(id);
    const first = history.find(({ messageId }) => messageId === sent.messageId);
    expect(first?.parts.map(withoutFilename)).toEqual(parts.map(withoutFilename));
    expect([first?.metadata, first?.role]).toEqual([metadata, "ROLE_USER"]);
  });

  it("follows a task that it did not start and cancels it, and both clients see its end", async () => {
    const { id } = await taskOf(client, message("test-resubscribe-message-id"), { returnImmediately: true });
    let canceled: Task | undefined;
    const events = await collect(client.subscribe(id), async () => {
      canceled = await client.cancel(id);
    });
    expect([summarize(events[0] as StreamResponse), summarize(events.at(-1) as StreamResponse)]).toEqual([
      "task",
      "TASK_STATE_CANCELED",
    ]);
    expect(canceled?.status.state).toBe("TASK_STATE_CANCELED");
    expect((await client.get(id)).status.state).toBe("TASK_STATE_CANCELED");
  });

  it("throws the error class that matches the rejection (S1.21)", async () => {
    const { id } = await taskOf(client, message("tck-complete-task"));
    expect(await refusal(client.get("nobody-has-this"))).toBe("TaskNotFoundError");
    expect(await refusal(client.cancel("nobody-has-this"))).toBe("TaskNotFoundError");
    expect(await refusal(client.cancel(id))).toBe("TaskNotCancelableError");
    expect(await refusal(client.subscribe(id))).toBe(client.streamRefusal);
    expect(await refusal(client.send(message("tck", { taskId: id })))).not.toBe("none");
  });

  it("gets the history truncated to the requested length", async () => {
    const { id } = await taskOf(client, message("tck-input-required"));
    await client.send(message("tck-complete-task", { taskId: id }));
    expect((await client.get(id, 1)).history).toHaveLength(1);
    expect((await client.get(id)).history?.length).toBeGreaterThan(1);
  });
});

const LISTING = Object.entries(INTEROP_CLIENTS).filter(([name]) => name.includes("v1.0"));

it.each(LISTING)("%s lists its tasks, which v0.3 cannot", async (_, connect) => {
  const client = await connect(agent);
  const contextId = randomUUID();
  await client.send(message("tck-artifact-text", { contextId }));
  const page = await client.list?.(contextId);
  expect(page?.tasks.map(outcome)).toEqual([OUTCOMES["tck-artifact-text"]]);
});
