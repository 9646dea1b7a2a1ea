import { describe, expect, it } from "vitest";
import { startAskingPeer, startSlowPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { clientFor, request, WAYS, type Way } from "../testing/agent-client.ts";
import { answerText } from "./testing/answer-text.ts";
import type { ApiClient, ApiReading } from "./testing/api-client.ts";
import { RecordPlatform } from "./testing/record-platform.ts";

const HARBOUR = "ask tides: when is high water in the harbour?";
const NOON = "High water at noon";
const EXCHANGE = [
  ["user", HARBOUR],
  ["assistant", NOON],
];
const skill = { id: "tides", name: "Tides", description: "Tells the tides at a harbour", tags: ["tides"] };
const about = { name: "tides", description: "Knows the tides", skills: [skill] };

const startTides = (pause = 5) =>
  during(startSlowPeer({ ...about, tokens: ["High ", "water ", "at noon"], pause }));

const wayOf = (name: string): Way => WAYS.find((way) => way.name === name) ?? WAYS[0];

/** Sends a message to the supervisor as any A2A client and returns the final task. */
async function callOf(
  platform: RecordPlatform,
  text: string,
  more: { contextId?: string; taskId?: string; way?: string } = {},
) {
  const { way = "1.0 JSON-RPC", ...names } = more;
  const client = await clientFor(wayOf(way), platform.url);
  const sent = request(crypto.randomUUID(), text, names);
  let ids = { taskId: "", contextId: "" };
  for await (const { event } of client.stream(sent)) {
    if ("task" in event) ids = { taskId: event.task.id, contextId: event.task.contextId ?? "" };
    else if ("statusUpdate" in event) ids = { ...ids, taskId: event.statusUpdate.taskId };
  }
  return { ...ids, client };
}

const sessionsOf = async (api: ApiClient) =>
  (await api.call<{ sessions: { id: string }[] }>("GET", "/sessions")).sessions.map(({ id }) => id);

const messagesOf = ({ messages }: ApiReading) => messages.map(({ role, content }) => [role, content]);

describe("an external A2A call to the supervisor", { timeout: 180_000 }, () => {
  it.each(["1.0 JSON-RPC", "0.3 JSON-RPC", "0.1 JSON-RPC"])(
    "becomes a session, and later calls in its context join it: %s",
    async (way) => {
      const tides = await startTides();
      const platform = await RecordPlatform.start({ tides });
      const { api } = platform;
      const { contextId } = await callOf(platform, HARBOUR, { way });
      await expect.poll(() => sessionsOf(api), { timeout: 60_000 }).toHaveLength(1);
      const [id = ""] = await sessionsOf(api);
      const first = await api.ended(id);
      expect(messagesOf(first)).toEqual(EXCHANGE);
      expect(answerText(first.events)).toBe(NOON);
      await callOf(platform, HARBOUR, { way, contextId });
      const second = await api.until(id, ({ messages }) => messages.length === 4);
      expect(messagesOf(second)).toEqual([...EXCHANGE, ...EXCHANGE]);
      expect(await sessionsOf(api)).toEqual([id]);
      // Recording causes no second call.
      expect(tides.requests.filter(({ text }) => text !== "")).toHaveLength(2);
    },
  );

  it("made while another call in its context is running follows it in the same session and reaches the agent once", async () => {
    const tides = await startTides(150);
    const platform = await RecordPlatform.start({ tides });
    const { api } = platform;
    const contextId = crypto.randomUUID();
    await Promise.all([1, 2].map(() => callOf(platform, HARBOUR, { contextId })));
    await expect.poll(() => sessionsOf(api)).toHaveLength(1);
    const [id = ""] = await sessionsOf(api);
    const { messages } = await api.until(id, (read) => read.messages.length === 4);
    expect(messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
      HARBOUR,
      HARBOUR,
    ]);
    expect(messages.filter(({ role }) => role !== "user").map(({ content }) => content)).toEqual([
      NOON,
      NOON,
    ]);
    expect(await sessionsOf(api)).toEqual([id]);
    expect(tides.requests.filter(({ text }) => text !== "")).toHaveLength(2);
  });

  it("in a context whose session was deleted becomes a new session", async () => {
    const platform = await RecordPlatform.start({ tides: await startTides() });
    const { api } = platform;
    const { contextId } = await callOf(platform, HARBOUR);
    // The record follows the call.
    await expect.poll(() => sessionsOf(api)).toHaveLength(1);
    const [first = ""] = await sessionsOf(api);
    await api.ended(first);
    await api.call("DELETE", `/sessions/${first}`);
    await callOf(platform, HARBOUR, { contextId });
    await expect.poll(() => sessionsOf(api)).toHaveLength(1);
    const [second = ""] = await sessionsOf(api);
    expect(second).not.toBe(first);
    expect(messagesOf(await api.ended(second))).toEqual(EXCHANGE);
  });

  it.each([
    ["at once", false],
    ["when the question is recorded", true],
  ])("that answers its own question %s continues in its session (+7)", async (_, waits) => {
    const platform = await RecordPlatform.start({ tides: await during(startAskingPeer(about)) });
    const { api } = platform;
    const { taskId, contextId } = await callOf(platform, HARBOUR);
    await expect.poll(() => sessionsOf(api)).toHaveLength(1);
    const [id = ""] = await sessionsOf(api);
    if (waits) await api.until(id, ({ events }) => events.some(({ type }) => type === "approval_requested"));
    await callOf(platform, "Hamburg", { taskId, contextId });
    const { events, messages } = await api.ended(id);
    // A question answered before it was recorded does not appear.
    const answer = events.find(({ type }) => type === "approval_answered")?.payload;
    if (waits || answer) expect(answer).toMatchObject({ decision: "answered", text: "Hamburg" });
    expect(messages.at(-1)?.content).toBe("You said: Hamburg");
    const { approvals } = await api.call<{ approvals: unknown[] }>("GET", "/approvals?open=true");
    expect(approvals).toEqual([]);
  });

  it("can be cancelled by its caller over A2A and by a reader of the session", async () => {
    const platform = await RecordPlatform.start({ tides: await startTides(5_000) });
    const { api } = platform;
    const calls = [callOf(platform, HARBOUR), callOf(platform, HARBOUR)];
    await expect.poll(() => sessionsOf(api), { timeout: 60_000 }).toHaveLength(2);
    const [ours = "", theirs = ""] = await sessionsOf(api);
    const [[ourRun], [theirRun]] = [await api.runs(ours), await api.runs(theirs)];
    await api.call("POST", `/sessions/${ours}/runs/${ourRun?.id}/cancel`, {});
    const client = await clientFor(wayOf("1.0 JSON-RPC"), platform.url);
    await client.cancel({ id: theirRun?.id ?? "" });
    await Promise.all(calls);
    await api.ended(theirs);
    const states = await Promise.all(
      [ourRun, theirRun].map(async (run) => (await client.get({ id: run?.id ?? "" })).status.state),
    );
    expect(states).toEqual(["TASK_STATE_CANCELED", "TASK_STATE_CANCELED"]);
  });
});

it("a run of our own gateway is not recorded twice, nor are its delegations", {
  timeout: 180_000,
}, async () => {
  const platform = await RecordPlatform.start({ tides: await startTides() });
  const { api } = platform;
  const id = await api.create();
  await api.post(id, HARBOUR);
  await api.ended(id);
  await api.post(id, HARBOUR);
  expect(messagesOf(await api.ended(id))).toHaveLength(4);
  expect(await sessionsOf(api)).toEqual([id]);
  expect(await api.runs(id)).toHaveLength(2);
});
