import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { DatabaseProxy } from "../sessions/testing/database-proxy.ts";
import { EventFollower } from "../sessions/testing/event-follower.ts";
import { newDatabase } from "../sessions/testing/record-platform.ts";
import { allSpeak, beginRuns, endedWell } from "./testing/many-runs.ts";
import { startPair } from "./testing/pair.ts";

/** The duration of the outage; longer than a lease. */
const OUTAGE_MS = 1_000 * Number(process.env.PARLEY_OUTAGE ?? 5);

it(`two nodes survive a Postgres outage of ${OUTAGE_MS / 1_000} s: they answer 503 with Retry-After, no process exits, and runs continue without loss (invariants 4, 6, 7 and 9)`, {
  timeout: 300_000 + OUTAGE_MS,
}, async () => {
  const way = await DatabaseProxy.start((await newDatabase("Postgres")) ?? "");
  const { first, second, pace, whole } = await startPair({
    database: way.url,
    environment: { PARLEY_LEASE: "2" },
  });
  const clients = await Promise.all([first, second].map(({ url }) => new EventFollower(url).ready()));
  const sessions = [...(await beginRuns(first.api, 5)), ...(await beginRuns(second.api, 5))];
  for (const client of clients) await allSpeak(client, sessions);

  way.cut();
  const gone = performance.now();
  for (const { url } of [first, second]) {
    const status = async (path: string) => (await fetch(`${url}${path}`)).status;
    await expect.poll(() => status("/readyz"), { timeout: 60_000 }).toBe(503);
    expect(await status("/healthz")).toBe(200);
    const refused = await fetch(`${url}/api/v1/sessions/${sessions[0]}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ content: "In the dark" }),
    });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: "unavailable" });
  }
  await sleep(Math.max(0, OUTAGE_MS - (performance.now() - gone)));
  await way.mend();
  for (const { url } of [first, second])
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 60_000 }).toBe(200);
  pace.hurry();
  for (const id of sessions) {
    const events = await endedWell(second.api, { id, whole });
    for (const client of clients) {
      await expect.poll(() => client.of(id).at(-1)?.index, { timeout: 60_000 }).toBe(events.length);
      expect(client.of(id)).toEqual(events);
    }
  }
});
