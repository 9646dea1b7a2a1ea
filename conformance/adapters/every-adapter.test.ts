import OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { answerText } from "../sessions/testing/answer-text.ts";
import { EventFollower } from "../sessions/testing/event-follower.ts";
import { clientFor, request, WAYS } from "../testing/agent-client.ts";
import { AgUiClient } from "./testing/ag-ui-client.ts";
import { AiChat, textOf } from "./testing/ai-chat.ts";
import { connectedClient, type McpPlatform, startMcpPlatform } from "./testing/mcp-platform.ts";

let platform: McpPlatform;
beforeAll(async () => {
  platform = await startMcpPlatform();
}, 300_000);
afterAll(() => platform.stop());

/** Calls the supervisor over A2A; returns its final answer, and a promise for its start. */
async function asked(text: string): Promise<string> {
  const [way] = WAYS;
  const client = await clientFor(way, platform.url);
  const said = new Map<string, string>();
  for await (const { event } of client.stream(request(crypto.randomUUID(), text))) {
    if (!("artifactUpdate" in event)) continue;
    const { artifact, append } = event.artifactUpdate;
    if (artifact.name !== "streaming_result") continue;
    const words = artifact.parts.map((part) => part.text ?? "").join("");
    said.set(artifact.artifactId, (append ? (said.get(artifact.artifactId) ?? "") : "") + words);
  }
  return [...said.values()].join("");
}

/** The text of a response that is followed from its start. */
async function responded(runId: string): Promise<string> {
  const client = new OpenAI({ baseURL: `${platform.url}/v1`, apiKey: "none", maxRetries: 0 });
  let text = "";
  for await (const event of await client.responses.retrieve(`resp_${runId}`, { stream: true }))
    if (event.type === "response.output_text.delta") text += event.delta;
  return text;
}

/** The answer that an MCP client waits for. */
async function awaited(session: string): Promise<string> {
  const client = await connectedClient(platform.url);
  const { structuredContent } = await client.callTool({ name: "await_answer", arguments: { session } });
  return (structuredContent as { answer: string }).answer;
}

it("a running session opened through every protocol is one run, and all show the same answer, byte for byte", {
  timeout: 300_000,
}, async () => {
  const { api, url, slow, whole, pace } = platform;
  const direct = asked("ask slow: go on");
  const sessions = async () => (await api.call<{ sessions: { id: string }[] }>("GET", "/sessions")).sessions;
  await expect.poll(sessions, { timeout: 60_000 }).toHaveLength(1);
  const [{ id: session } = { id: "" }] = await sessions();
  await api.until(session, ({ events }) => answerText(events) !== "", 60_000);
  const [run = { id: "", status: "" }] = await api.runs(session);
  expect(run.status).toBe("running");

  const follower = await new EventFollower(url, [session]).ready();
  const before = (await api.read(session)).events;
  const chat = new AiChat(`${url}/ai`, { id: session });
  const resumed = chat.resumeStream();
  const agUi = new AgUiClient(`${url}/agui`, { threadId: session });
  const attached = agUi.run();
  const response = responded(run.id);
  const answer = awaited(session);
  // Every client receives the run before it continues.
  await expect.poll(() => chat.messages.length > 0 && textOf(chat.last), { timeout: 60_000 }).not.toBe("");
  await expect.poll(() => agUi.answer, { timeout: 60_000 }).not.toBe("");
  pace().hurry();

  const { messages, events } = await api.ended(session, 120_000);
  await Promise.all([resumed, attached]);
  expect(messages.at(-1)?.content).toBe(whole);
  expect({
    a2a: await direct,
    rest: answerText(events),
    openAi: await response,
    agUi: agUi.answer,
    mcp: await answer,
    aiSdk: textOf(chat.last),
  }).toEqual({ a2a: whole, rest: whole, openAi: whole, agUi: whole, mcp: whole, aiSdk: whole });
  await expect.poll(() => follower.of(session).some(({ type }) => type === "agent_complete")).toBe(true);
  const known = new Set(before.map(({ index }) => index));
  const streamed = [...before, ...follower.of(session).filter(({ index }) => !known.has(index))];
  expect(answerText(streamed)).toBe(whole);
  expect(await api.runs(session)).toHaveLength(1);
  expect(slow.requests.filter(({ text }) => text !== "")).toHaveLength(1);
});
