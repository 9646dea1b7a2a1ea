import { A2AClient } from "@parley/a2a";
import { expect, it, onTestFinished } from "vitest";
import { ServedAgent } from "../testing/served-agent.ts";
import { findTask } from "./delegate-stream.ts";

it("findTask finds the task of a message also in a context that the agent has chosen (invariant 4)", async () => {
  const agent = await ServedAgent.start({ name: "one", executor: { execute: async () => undefined } });
  onTestFinished(() => agent.stop());
  const client = await A2AClient.connect(agent.url, { policy: { allowOrigins: [agent.url] } });
  const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "go" }] };
  const sent = await client.send({ message: { ...message, contextId: "theirs" } });
  const found = await findTask(client, { ...message, contextId: "ours" });
  expect(found).toBe("task" in sent ? sent.task.id : "no task");
  expect(await findTask(client, { ...message, messageId: "other", contextId: "ours" })).toBeUndefined();
});
