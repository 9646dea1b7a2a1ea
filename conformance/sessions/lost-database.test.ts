import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { numberedTokens, startSlowPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { answerText, upTo } from "./testing/answer-text.ts";
import { DatabaseProxy } from "./testing/database-proxy.ts";
import { EventFollower } from "./testing/event-follower.ts";
import { newDatabase, RecordPlatform } from "./testing/record-platform.ts";

const RUNS = 8;
const OUTAGES = 2;
const TOKENS = numberedTokens(120);
const WHOLE = TOKENS.join("");
const skill = { id: "tides", name: "Tides", description: "Tells the tides at a harbour", tags: ["tides"] };

/** A client that retries after Retry-After with the same key. */
async function postPatiently(url: string, content: string, key: string): Promise<number> {
  for (let refusals = 0; ; refusals++) {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ content }),
    });
    if (response.ok) {
      await response.body?.cancel();
      return refusals;
    }
    expect(response.status).toBe(503);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({ status: 503, code: "unavailable" });
    const pause = Number(response.headers.get("retry-after"));
    expect(pause).toBeGreaterThan(0);
    await sleep(pause * 1_000);
  }
}

it("during a database outage requests get 503 with Retry-After; afterwards runs resume without loss or duplicates (invariants 4, 6, 7 and 9)", {
  timeout: 180_000,
}, async () => {
  const slow = await during(startSlowPeer({ tokens: TOKENS, pause: 100 }));
  const about = { name: "tides", description: "Knows the tides", skills: [skill] };
  const tides = await during(startSlowPeer({ ...about, tokens: TOKENS, pause: 100 }));
  const way = await DatabaseProxy.start((await newDatabase("Postgres")) ?? "");
  const platform = await RecordPlatform.start({ slow, tides }, { database: way.url });
  const { api, url } = platform;
  const bySupervisor = (place: number) => place % 4 === 0;
  const sessions = await Promise.all(
    upTo(RUNS).map((n) => api.create(bySupervisor(n) ? {} : { agent: "slow" })),
  );
  const spare = await Promise.all(
    upTo(OUTAGES).map((n) => api.create({ agent: "slow", title: `Spare ${n}` })),
  );
  const all = await new EventFollower(url).ready();
  for (const [place, id] of sessions.entries())
    await api.post(id, bySupervisor(place + 1) ? "ask tides: when is high water?" : "Speak");
  const speaking = () => sessions.filter((id) => answerText(all.of(id)).length > 20).length;
  await expect.poll(speaking, { timeout: 60_000 }).toBe(RUNS);

  for (const [outage, id] of spare.entries()) {
    way.swallowAnswers();
    const path = `${url}/api/v1/sessions/${id}/messages`;
    const posted = postPatiently(path, "In the dark", `key-${outage}`);
    await sleep(100);
    way.cut();
    const status = async (at: string) => (await fetch(`${url}${at}`)).status;
    await expect.poll(() => status("/readyz"), { timeout: 60_000 }).toBe(503);
    expect(await status("/healthz")).toBe(200);
    expect(await status(`/api/v1/sessions/${id}`)).toBe(503);
    expect(await status("/api/v1/events")).toBe(503);
    await sleep(500);
    await way.mend();
    expect(await posted).toBeGreaterThan(0);
    await expect.poll(() => status("/readyz"), { timeout: 60_000 }).toBe(200);
  }

  for (const id of [...sessions, ...spare]) {
    const { events, messages } = await api.ended(id, 60_000);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    const ends = events.filter(({ type }) => type === "agent_complete");
    expect(ends.map(({ payload }) => [payload.state, payload.content])).toEqual([["completed", WHOLE]]);
    expect(answerText(events)).toBe(WHOLE);
    expect(events.map(({ index }) => index)).toEqual(upTo(events.length));
    await expect.poll(() => all.of(id).at(-1)?.index).toBe(events.length);
    expect(all.of(id)).toEqual(events.slice(1));
  }
  expect(slow.requests.filter(({ text }) => text !== "")).toHaveLength(6 + OUTAGES);
  expect(tides.requests.filter(({ text }) => text !== "")).toHaveLength(2);
});
