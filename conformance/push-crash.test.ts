import { testFolder } from "@parley/testing/test-folder.ts";
import { type ReceivedWebhook, WebhookReceiver } from "@parley/testing/webhook-receiver.ts";
import { expect, it } from "vitest";
import { startAgentProcess } from "./testing/agent-process.ts";

it("invariant 14: after kill -9 between commit and delivery every status is delivered, in order, with the id it had before", async () => {
  const folder = await testFolder();
  let isUp = false;
  const receiver = await WebhookReceiver.start(() => (isUp ? 204 : "hang"));
  const first = await startAgentProcess(folder);
  const message = { messageId: "tck-complete-task", role: "ROLE_USER", parts: [{ text: "go" }] };
  const configuration = { taskPushNotificationConfig: { url: receiver.url(), token: "tok" } };
  const answer = await fetch(first.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "SendMessage",
      params: { message, configuration },
    }),
  });
  expect(JSON.stringify(await answer.json())).toContain("TASK_STATE_COMPLETED");
  await receiver.until(() => receiver.received.length === 1);
  await first.kill();

  isUp = true;
  const second = await startAgentProcess(folder);
  await receiver.until(() => receiver.taken.length === 3);
  await second.kill();
  const state = ({ text }: ReceivedWebhook) => /TASK_STATE_(\w+)/.exec(text)?.[1];
  expect(receiver.taken.map(state)).toEqual(["SUBMITTED", "WORKING", "COMPLETED"]);
  const [cut, repeated] = receiver.received;
  expect(repeated?.headers["webhook-id"]).toBe(cut?.headers["webhook-id"]);
  expect(repeated?.text).toBe(cut?.text);
  expect(repeated?.headers["x-a2a-notification-token"]).toBe("tok");
});
