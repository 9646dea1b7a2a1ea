import { randomUUID } from "node:crypto";
import { OutcomeUnknownError, silentClientObserver } from "@parley/a2a";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type ConformanceAgent, startConformanceAgent } from "./conformance-agent.ts";
import { clientFor, portFor, request, seen, WAYS, type Way } from "./testing/agent-client.ts";
import { startCuttingProxy } from "./testing/cutting-proxy.ts";

let agent: ConformanceAgent;

beforeAll(async () => {
  agent = await startConformanceAgent({ port: 0, grpcPort: 0 });
});
afterAll(() => agent.stop());

const limits = { retry: { tries: 4, firstDelayMs: 1, maxDelayMs: 4 }, late: 20 };
/** Bytes of the first answer that come through; over HTTP/2 the connection itself takes some before the answer. */
const CUTS = [0, 1, 60, 100, 150];

/** A client whose first response is cut after this many bytes, and its number of retries. */
async function unlucky(way: Way, bytes: number) {
  const proxy = await startCuttingProxy(await portFor(way, agent.url), (connection) =>
    connection === 0 ? bytes : undefined,
  );
  onTestFinished(() => proxy.stop());
  let repeats = 0;
  const observer = { ...silentClientObserver, retrying: () => void repeats++ };
  const client = await clientFor(way, agent.url, { limits, observer, proxy: proxy.port });
  return { client, cuts: proxy.cuts, repeats: () => repeats };
}

/** The number of tasks in a context. */
async function tasksIn(contextId: string): Promise<number> {
  const client = await clientFor(WAYS[0], agent.url);
  return (await client.list({ contextId })).totalSize;
}

const keyed = WAYS.filter(({ dialect }) => dialect !== "0.1");

describe.each(keyed)("a message in $name whose response is lost (invariant 4)", (way) => {
  it.each(CUTS)("is resent under its key and executed once, after %i bytes", async (bytes) => {
    const { client, cuts, repeats } = await unlucky(way, bytes);
    const contextId = randomUUID();
    const answer = await client.send(request("tck-artifact-text-r", "hello", { contextId }));
    expect(answer).toMatchObject({ task: { contextId, status: { state: "TASK_STATE_COMPLETED" } } });
    expect([cuts(), repeats(), await tasksIn(contextId)]).toEqual([1, 1, 1]);
  });

  it.each(CUTS)("is streamed again under its key and executed once, after %i bytes", async (bytes) => {
    const { client, cuts, repeats } = await unlucky(way, bytes);
    const contextId = randomUUID();
    const text = "each character 👩‍👩‍👧 once. ".repeat(5);
    const task = await seen(client.stream(request("echo-1-r", text, { contextId })));
    expect([task.text, task.lastState, task.gaps]).toEqual([text, "TASK_STATE_COMPLETED", []]);
    expect([cuts(), repeats(), await tasksIn(contextId)]).toEqual([1, 1, 1]);
  });

  it("is answered with the same message when there is no task", async () => {
    const { client, repeats } = await unlucky(way, 100);
    const direct = { message: { parts: [{ text: "Direct message response" }] } };
    expect(await client.send(request("tck-message-response-r"))).toMatchObject(direct);
    expect(repeats()).toBe(1);
  });
});

it("a v0.1 message is not resent, because the dialect has no extensions: its outcome is unknown (invariant 4)", async () => {
  const way = WAYS.find(({ dialect }) => dialect === "0.1") as Way;
  const { client, repeats } = await unlucky(way, 0);
  const contextId = randomUUID();
  const sent = client.send(request("tck-artifact-text-r", "hello", { contextId }));
  await expect(sent).rejects.toBeInstanceOf(OutcomeUnknownError);
  expect([repeats(), await tasksIn(contextId)]).toEqual([0, 1]);
});
