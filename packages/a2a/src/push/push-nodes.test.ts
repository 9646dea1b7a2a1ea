import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { WebhookReceiver } from "@parley/testing/webhook-receiver.ts";
import { expect, it } from "vitest";
import { ConfigSeal } from "./config-seal.ts";
import { PATIENCE, startPushAgent } from "./testing/push-agent.ts";
import { sharedPostgres } from "./testing/storages.ts";

it("two nodes on one Postgres share the work and never send one task's webhooks concurrently (invariant 14)", async () => {
  const underWay = new Map<string, number>();
  let most = 0;
  const receiver = await WebhookReceiver.start(async ({ path }) => {
    const now = (underWay.get(path) ?? 0) + 1;
    underWay.set(path, now);
    most = Math.max(most, now);
    // Long enough that a second one, if there were one, would meet the first.
    await sleep(20);
    underWay.set(path, (underWay.get(path) ?? 1) - 1);
    return 204;
  });
  const open = await sharedPostgres();
  const seal = new ConfigSeal(randomBytes(32));
  const byNode = [0, 0];
  const nodes = await Promise.all(
    byNode.map((_, node) => {
      const delivered = () => {
        byNode[node] = (byNode[node] ?? 0) + 1;
      };
      const observer = { delivered, retried() {}, dead() {}, gone() {}, failed() {} };
      // Small enough that one node alone has not enough places for all, and both look often.
      return startPushAgent(open, { seal, observer, parallel: 3, pollEveryMs: 20 });
    }),
  );
  const [first] = nodes;
  if (!first) throw new Error("no node");
  const tasks = Array.from({ length: 30 }, (_, n) => first.send("go", { url: receiver.url(`/${n}`) }));
  await Promise.all(tasks);
  await receiver.until(() => receiver.taken.length === 90);
  await expect.poll(() => first.journal.database.query("SELECT * FROM push_outbox"), PATIENCE).toEqual([]);
  expect(receiver.received).toHaveLength(90);
  expect(most).toBe(1);
  expect(Math.min(...byNode)).toBeGreaterThan(5);
  for (let n = 0; n < 30; n++) {
    const kinds = receiver.taken
      .filter(({ path }) => path === `/${n}`)
      .map(({ body }) => Object.keys(body)[0]);
    expect(kinds).toEqual(["task", "statusUpdate", "statusUpdate"]);
  }
});
