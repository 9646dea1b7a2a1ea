import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { openSqliteJournal } from "@parley/journal";
import { testFolder } from "@parley/testing/test-folder.ts";
import { WebhookReceiver } from "@parley/testing/webhook-receiver.ts";
import { expect, it } from "vitest";
import type { PushObserver } from "./push-observer.ts";
import { alice, PATIENCE, quickRetries, startPushAgent } from "./testing/push-agent.ts";

const SECRETS = ["canary-token", "canary-credentials", "canary-path", "canary-query"];

async function everyByteIn(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const read = files
    .filter((it) => it.isFile())
    .map((it) => readFile(join(it.parentPath, it.name), "latin1"));
  return (await Promise.all(read)).join("\n");
}

it("no secret of a webhook appears in a file, a log, an error or a response", async () => {
  const folder = await testFolder();
  const receiver = await WebhookReceiver.start(({ number }) => (number % 2 === 0 ? "hang" : 500));
  const log: unknown[] = [];
  const note = (...facts: unknown[]) => {
    log.push(...facts);
  };
  const observer: PushObserver = { delivered: note, retried: note, dead: note, gone: note, failed: note };
  const agent = await startPushAgent((projections) => openSqliteJournal({ folder, projections }), {
    observer,
    retries: { ...quickRetries, tries: 2 },
    timeoutMs: 100,
  });
  const config = {
    url: receiver.url("/canary-path?key=canary-query"),
    token: "canary-token",
    authentication: { scheme: "Bearer", credentials: "canary-credentials" },
  };
  const task = await agent.send("ask", config);
  const created = await agent.configs.create({ ...config, taskId: task.id, id: "c" }, alice);
  await agent.send("go", undefined, { taskId: task.id });
  await expect.poll(() => agent.deadLetters.list("alice"), PATIENCE).toHaveLength(7);
  expect(receiver.received[0]).toMatchObject({
    path: "/canary-path?key=canary-query",
    headers: { authorization: "Bearer canary-credentials", "x-a2a-notification-token": "canary-token" },
  });

  const told = JSON.stringify([log, await agent.deadLetters.list("alice")]);
  const answered = JSON.stringify([created, await agent.configs.list({ taskId: task.id }, alice), task]);
  const stored = await everyByteIn(folder);
  expect(stored).toContain("pushConfigured");
  expect(told).toContain("took more than 100 ms");
  for (const secret of SECRETS) {
    expect(told).not.toContain(secret);
    expect(stored).not.toContain(secret);
  }
  for (const secret of SECRETS.slice(0, 2)) expect(answered).not.toContain(secret);
});
