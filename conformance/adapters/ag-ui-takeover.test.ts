import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { startSlowPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { RecordPlatform } from "../sessions/testing/record-platform.ts";
import { AgUiClient } from "./testing/ag-ui-client.ts";

it("another node takes over a run whose node was killed; repeating the request returns the same run and the same text", {
  timeout: 180_000,
}, async () => {
  const slow = await during(startSlowPeer({ name: "slow", pause: 60 }));
  const platform = await RecordPlatform.start({ slow });
  const client = new AgUiClient(`${platform.url}/agui/slow`);
  client.agent.addMessage({ id: randomUUID(), role: "user", content: "Go" });
  const runId = randomUUID();
  let killed: Promise<void> | undefined;
  // It disconnects by itself: a broken connection is an unhandled rejection in the client.
  await client.run({ runId }, ({ type }) => {
    if (type !== "TEXT_MESSAGE_CONTENT") return false;
    killed ??= platform.kill();
    return true;
  });
  await killed;
  expect(client.answer).not.toBe("");
  await platform.restart();
  const { outcome } = await client.run({ runId });
  expect(outcome).toBe("success");
  const { messages } = await platform.api.ended(client.threadId);
  expect(client.answer).toBe(messages.at(-1)?.content);
  expect(client.said).toHaveLength(2);
  expect(await platform.api.runs(client.threadId)).toHaveLength(1);
});
