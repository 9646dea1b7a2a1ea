import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { startSlowPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { RecordPlatform } from "./testing/record-platform.ts";

it("requests during startup get a retryable error, never a 404", async () => {
  const peer = await during(startSlowPeer({ tokens: ["Hi"], pause: 1 }));
  const platform = await RecordPlatform.start({ peer });
  const id = await platform.api.create({ agent: "peer" });
  await platform.kill();
  const restarted = platform.restart();
  const statuses = new Set<number>();
  while (!statuses.has(201)) {
    try {
      const response = await fetch(`${platform.url}/api/v1/sessions/${id}/messages`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": "early" },
        body: JSON.stringify({ content: "Hello" }),
      });
      statuses.add(response.status);
      await response.body?.cancel();
      if (response.status !== 201) expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    } catch (error) {
      // The port is not open yet.
      expect(error).toBeInstanceOf(TypeError);
    }
    await sleep(2);
  }
  await restarted;
  expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([]);
  expect((await platform.api.ended(id)).messages).toHaveLength(2);
});
