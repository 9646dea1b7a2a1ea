import { expect, it } from "vitest";
import { numberedTokens, startAskingPeer, startSlowPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { RecordPlatform } from "../sessions/testing/record-platform.ts";
import { startCuttingProxy } from "../testing/cutting-proxy.ts";
import { AiChat, textOf } from "./testing/ai-chat.ts";

const longTimeout = { timeout: 300_000 };
const tokens = numberedTokens(60);

async function platformWith(peers: Parameters<typeof RecordPlatform.start>[0]) {
  const platform = await RecordPlatform.start(peers);
  const chatAt = (path: string, options = {}, port = new URL(platform.url).port) =>
    new AiChat(`http://localhost:${port}${path}`, options);
  return { platform, api: platform.api, chatAt };
}

it("a stream cut midway resumes as one run and one message with the full text", longTimeout, async () => {
  // Long ones, so that there is enough to cut even after coalescing.
  const long = tokens.map((token) => token.padEnd(200, "."));
  const whole = long.join("");
  const slow = await during(startSlowPeer({ name: "slow", tokens: long, pause: 10 }));
  const { platform, api, chatAt } = await platformWith({ slow });
  const proxy = await during(
    startCuttingProxy(Number(new URL(platform.url).port), (connection) =>
      connection < 2 ? 3_000 : undefined,
    ),
  );
  const chat = chatAt("/ai/slow", {}, String(proxy.port));
  await chat.sendMessage({ text: "Go" });
  expect([chat.status, proxy.cuts()]).toEqual(["error", 1]);
  expect(whole.startsWith(textOf(chat.last))).toBe(true);
  expect(textOf(chat.last).length).toBeLessThan(whole.length);
  // The second attempt is cut too.
  await chat.resumeStream();
  await chat.resumeStream();
  expect([chat.status, chat.error, proxy.cuts()]).toEqual(["ready", undefined, 2]);
  expect(chat.messages).toHaveLength(2);
  expect(textOf(chat.last)).toBe(whole);
  expect((await api.ended(chat.id)).messages.at(-1)?.content).toBe(whole);
  expect(slow.requests.filter(({ text }) => text === "Go")).toHaveLength(1);
  expect(await api.runs(chat.id)).toHaveLength(1);
});

it("the next message answers a free-text question", longTimeout, async () => {
  const tides = await during(startAskingPeer({ name: "tides" }));
  const { api, chatAt } = await platformWith({ tides });
  const chat = chatAt("/ai/tides");
  await chat.sendMessage({ text: "When is high water?" });
  expect(chat.last.parts).toContainEqual(
    expect.objectContaining({
      toolName: "question",
      input: { question: "Which one?" },
      state: "approval-requested",
    }),
  );
  await chat.sendMessage({ text: "The northern one" });
  expect(chat.error).toBeUndefined();
  expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(textOf(chat.last)).toBe("You said: The northern one");
  expect((await api.ended(chat.id)).messages.at(-1)?.content).toBe(textOf(chat.last));
  expect(await api.runs(chat.id)).toHaveLength(1);
  await chat.sendMessage({ text: "And low water?" });
  expect(chat.last.metadata).toMatchObject({ session: chat.id, status: "waiting" });
});

it(
  "a server crash mid-stream is an error, and the client resumes the run's output after the restart",
  longTimeout,
  async () => {
    const slow = await during(startSlowPeer({ name: "slow", tokens, pause: 20 }));
    const { platform, chatAt } = await platformWith({ slow });
    const chat = chatAt("/ai/slow");
    const sent = chat.sendMessage({ text: "Go" });
    await expect.poll(() => chat.status === "streaming" && textOf(chat.last)).toMatch(/t5 /);
    await platform.kill();
    await sent;
    expect(chat.status).toBe("error");
    await platform.restart();
    await chat.resumeStream();
    expect([chat.status, chat.error]).toEqual(["ready", undefined]);
    expect(textOf(chat.last)).toBe((await platform.api.ended(chat.id)).messages.at(-1)?.content);
    expect(textOf(chat.last)).toBe(tokens.join(""));
    expect(await platform.api.runs(chat.id)).toHaveLength(1);
  },
);
