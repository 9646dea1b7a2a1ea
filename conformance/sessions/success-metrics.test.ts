import { patient } from "@parley/testing/patient.ts";
import { describe, expect, it } from "vitest";
import {
  CAIPE_TOKENS,
  numberedTokens,
  SDK_TOKENS,
  startCaipePeer,
  startEndlessPeer,
  startLegacySdkPeer,
  startSdkPeer,
  startSlowPeer,
  startTaskPeer,
  startV01Peer,
} from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { upTo } from "./testing/answer-text.ts";
import type { ApiMessage, ApiReading, ApiRun } from "./testing/api-client.ts";
import { EventFollower } from "./testing/event-follower.ts";
import { longSession } from "./testing/long-session.ts";
import { RecordPlatform } from "./testing/record-platform.ts";
import { viewsOf } from "./testing/user-view.ts";

const messagesOf = ({ messages }: Pick<ApiReading, "messages">) =>
  messages.map(({ role, content }) => [role, content] as const);

/** An agent that echoes the last message. */
const startRepeater = (name: string) =>
  startTaskPeer(
    async (task, text) => {
      task.status("WORKING");
      const last = text.trim().split("\n").at(-1) ?? "";
      await task.text({ artifactId: "result", name: "result" }, [`${name} heard: `, last], 5);
      task.status("COMPLETED");
    },
    { name },
  );

describe("the success metrics of the fifth seed (S4.32)", { timeout: 180_000 }, () => {
  it("State clarity: the backend alone defines the state of a session, during a run and after a crash", async () => {
    const tokens = numberedTokens(60);
    const platform = await RecordPlatform.start({
      slow: await during(startSlowPeer({ tokens, pause: 50 })),
    });
    const { api } = platform;
    const id = await api.create({ agent: "slow", title: "Clear" });
    const { run } = await api.post(id, "Speak");
    const now = async () => (await api.call<{ run: ApiRun }>("GET", `/sessions/${id}/runs/${run.id}`)).run;
    await expect.poll(async () => (await now()).text).toMatch(/^t0 t1 /);
    expect(await now()).toMatchObject({ status: "running", agent: "slow" });
    await platform.kill();
    await platform.restart();
    // A client that connects only now.
    expect((await api.read(id)).session).toMatchObject({ title: "Clear", status: "active" });
    const reading = await api.ended(id);
    expect(messagesOf(reading)).toEqual([
      ["user", "Speak"],
      ["assistant", tokens.join("")],
    ]);
    expect(await now()).toMatchObject({ status: "completed", agent: "slow" });
    expect(reading.session.revision).toBe(reading.events.length);
  });

  it("Agent replaceability: another agent takes over without a change of the client", async () => {
    const platform = await RecordPlatform.start({
      first: await during(startRepeater("first")),
      second: await during(startV01Peer({ name: "second", tokens: ["second ", "speaks"] })),
    });
    const { api } = platform;
    // The client code, the same for every agent.
    const converse = async (agent: string) => {
      const id = await api.create({ agent });
      await api.post(id, "Hello");
      return api.ended(id);
    };
    const readings = [await converse("first"), await converse("second")];
    expect(readings.map(messagesOf)).toEqual([
      [
        ["user", "Hello"],
        ["assistant", "first heard: Hello"],
      ],
      [
        ["user", "Hello"],
        ["assistant", "second speaks"],
      ],
    ]);
    const kinds = readings.map(({ events }) => [...new Set(events.map(({ type }) => type))]);
    expect(kinds[1]).toEqual(kinds[0]);
  });

  it("Agent replaceability: the session's fallback agent answers when the agent is down", async () => {
    const first = await during(startRepeater("first"));
    const second = await during(startV01Peer({ name: "second", tokens: ["second ", "speaks"] }));
    const third = await during(startRepeater("third"));
    const { api } = await RecordPlatform.start({ first, second, third });
    const id = await api.create({ agent: "first", config: { fallbacks: ["second"] } });
    await first.stop();
    await api.post(id, "Hello");
    expect(messagesOf(await api.ended(id, 60_000)).at(-1)).toEqual(["assistant", "second speaks"]);
  });

  it("History editing: a message is edited, and the session continues from that point", async () => {
    const platform = await RecordPlatform.start({ repeater: await during(startRepeater("repeater")) });
    const { api } = platform;
    const id = await api.create({ agent: "repeater" });
    await api.post(id, "One");
    await api.ended(id);
    const { message } = await api.post(id, "Two");
    const before = await api.ended(id);
    const fork = await api.call<{ session: { id: string; parentId: string } }>(
      "PUT",
      `/sessions/${id}/messages/${message.id}`,
      { content: "Three" },
    );
    const childId = fork.session.id;
    await api.ended(childId);
    await api.post(childId, "Four");
    const after = await api.until(childId, ({ messages }) => messages.length === 6);
    expect(messagesOf(after)).toEqual([
      ...[
        ["user", "One"],
        ["assistant", "repeater heard: One"],
      ],
      ...[
        ["user", "Three"],
        ["assistant", "repeater heard: Three"],
      ],
      ...[
        ["user", "Four"],
        ["assistant", "repeater heard: Four"],
      ],
    ]);
    expect(after.messages[2]?.metadata).toMatchObject({
      isEdited: true,
      editHistory: [{ sessionId: id, messageId: message.id }],
    });
    expect(fork.session.parentId).toBe(id);
    // The original is unchanged.
    expect(messagesOf(await api.read(id))).toEqual(messagesOf(before));
  });

  it("Multi-agent: five different A2A agents answer in one session", async () => {
    const slow = numberedTokens(20).join("");
    const peers = {
      ours: await during(startSlowPeer({ pause: 1 })),
      sdk: await during(startSdkPeer()),
      legacy: await during(startLegacySdkPeer()),
      oldest: await during(startV01Peer()),
      caipe: await during(startCaipePeer()),
    };
    const platform = await RecordPlatform.start(peers);
    const { api } = platform;
    const id = await api.create();
    for (const agent of Object.keys(peers)) {
      await api.post(id, `Hello ${agent}`, agent);
      await api.ended(id);
    }
    const { messages } = await api.read(id);
    const answers = messages.filter(({ role }) => role === "assistant");
    expect(answers.map(({ content, metadata }: ApiMessage) => [metadata.agent, content])).toEqual([
      ["ours", slow],
      ["sdk", SDK_TOKENS.join("")],
      ["legacy", SDK_TOKENS.join("")],
      ["oldest", slow],
      ["caipe", CAIPE_TOKENS.join("")],
    ]);
  });

  it("Client sync: a client restores a session of 10,000 events with its full history in less than 2 s", async () => {
    const platform = await RecordPlatform.start();
    const { api } = platform;
    const content = longSession(100);
    const { session } = await api.call<{ session: { id: string } }>("POST", "/sessions/import", { content });
    await platform.kill();
    // Not cached in memory.
    await platform.restart();
    const began = performance.now();
    const { sessions } = await api.call<{ sessions: { id: string }[] }>("GET", "/sessions");
    const reading = await api.read(sessions[0]?.id ?? "");
    expect(performance.now() - began).toBeLessThan(patient(2_000));
    expect(reading.session.id).toBe(session.id);
    expect(reading.messages).toHaveLength(200);
    expect(reading.events.map(({ index }) => index)).toEqual(upTo(10_001));
    const views = viewsOf(reading.events);
    expect(views.at(-1)).toEqual({ said: messagesOf(reading), saying: "" });
  });

  it("Replay: a session is replayed from its events exactly as the user saw it", async () => {
    const skill = {
      id: "tides",
      name: "Tides",
      description: "Tells the tides at a harbour",
      tags: ["tides"],
    };
    const about = { name: "tides", description: "Knows the tides", skills: [skill] };
    const platform = await RecordPlatform.start({
      tides: await during(startSlowPeer({ ...about, tokens: ["High ", "water ", "at noon"], pause: 30 })),
      endless: await during(startEndlessPeer()),
    });
    const { api } = platform;
    const id = await api.create();
    const user = await new EventFollower(platform.url, [id]).ready();
    await api.post(id, "ask tides: when is high water in the harbour?");
    await api.ended(id);
    const { run } = await api.post(id, "Go on", "endless");
    await expect.poll(() => viewsOf(user.of(id)).at(-1)?.saying).toBe("Working");
    await api.call("POST", `/sessions/${id}/runs/${run.id}/cancel`, {});
    const { events } = await api.ended(id);
    await expect.poll(() => user.of(id).at(-1)?.index).toBe(events.length);
    // The user was there from the second event on, and what the log tells now is what came then.
    expect(user.of(id)).toEqual(events.slice(1));
    await platform.kill();
    await platform.restart();
    for (const [place, view] of viewsOf(events).entries()) {
      const past = await api.call<{ messages: ApiMessage[]; runs: ApiRun[] }>(
        "GET",
        `/sessions/${id}/replay?until=${place + 1}`,
      );
      const saying = past.runs.map(({ text = "" }) => text).join("");
      expect({ said: messagesOf(past), saying }).toEqual(view);
    }
    expect(viewsOf(events).at(-1)?.said).toEqual([
      ["user", "ask tides: when is high water in the harbour?"],
      ["assistant", "High water at noon"],
      ["user", "Go on"],
      ["assistant", "Working"],
    ]);
  });
});
