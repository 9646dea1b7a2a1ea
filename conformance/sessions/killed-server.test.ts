import { patient } from "@parley/testing/patient.ts";
import { describe, expect, it } from "vitest";
import { numberedTokens, startSlowPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { answerText, upTo } from "./testing/answer-text.ts";
import { EventFollower } from "./testing/event-follower.ts";
import { newDatabase, RecordPlatform, STORAGES } from "./testing/record-platform.ts";

const RUNS = 20;
/** The time limit for resuming all runs after a restart. */
const BACK_MS = 15_000;
const TOKENS = numberedTokens(120);
const WHOLE = TOKENS.join("");
/** A Postgres lease expires only after a while, and the runs must still be active then. */
const PAUSE_MS = { SQLite: 60, Postgres: 150 };

describe.each(STORAGES)("on %s", (storage) => {
  const pause = PAUSE_MS[storage];

  it("after kill −9 of the server during 20 runs, all resume within 15 s without loss or duplicates, and clients see every event once (invariants 2, 3, 5, 6, 7 and 9)", {
    timeout: 180_000,
  }, async () => {
    const peers = {
      slow: await during(startSlowPeer({ tokens: TOKENS, pause })),
      older: await during(startSlowPeer({ name: "older", dialect: "0.3", tokens: TOKENS, pause })),
    };
    const platform = await RecordPlatform.start(peers, { database: await newDatabase(storage) });
    const { api } = platform;
    const names = Object.keys(peers);
    const sessions = await Promise.all(upTo(RUNS).map((n) => api.create({ agent: names[n % 2] ?? "" })));
    const all = await new EventFollower(platform.url).ready();
    const few = await new EventFollower(platform.url, sessions.slice(0, 3)).ready();
    const runs = await Promise.all(sessions.map((id) => api.post(id, `Speak to ${id}`)));
    const speaking = () => sessions.filter((id) => answerText(all.of(id)).length > 20).length;
    await expect.poll(speaking, { timeout: 60_000 }).toBe(RUNS);
    await platform.kill();
    expect(sessions.filter((id) => answerText(all.of(id)) === WHOLE)).toEqual([]);
    const seen = new Map(sessions.map((id) => [id, all.of(id).length]));
    await platform.restart();
    const back = performance.now();
    const goingOn = () => sessions.filter((id) => all.of(id).length > (seen.get(id) ?? 0)).length;
    await expect.poll(goingOn, { timeout: 8 * BACK_MS }).toBe(RUNS);
    expect(performance.now() - back).toBeLessThan(patient(BACK_MS));
    for (const [place, id] of sessions.entries()) {
      const { events, messages } = await api.ended(id, 60_000);
      const ends = events.filter(({ type }) => type === "agent_complete");
      expect(ends.map(({ payload }) => [payload.runId, payload.state])).toEqual([
        [runs[place]?.run.id, "completed"],
      ]);
      expect([answerText(events), ends[0]?.payload.content]).toEqual([WHOLE, WHOLE]);
      expect(messages.map(({ role, content }) => [role, content])).toEqual([
        ["user", `Speak to ${id}`],
        ["assistant", WHOLE],
      ]);
      expect(events.map(({ index }) => index)).toEqual(upTo(events.length));
      for (const follower of place < 3 ? [all, few] : [all]) {
        await expect.poll(() => follower.of(id).at(-1)?.index).toBe(events.length);
        // The session was there before anybody followed it.
        expect(follower.of(id)).toEqual(events.slice(1));
      }
    }
    expect([all.notices, few.notices].flat()).not.toContain("reset");
    // No agent was called twice.
    for (const peer of Object.values(peers))
      expect(peer.requests.filter(({ text }) => text !== "")).toHaveLength(RUNS / 2);
  });

  it("after kill −9 during supervisor runs, plans and agents' answers resume (invariants 6, 7 and 9)", {
    timeout: 180_000,
  }, async () => {
    const skill = {
      id: "tides",
      name: "Tides",
      description: "Tells the tides at a harbour",
      tags: ["tides"],
    };
    const tides = await during(
      startSlowPeer({
        ...{ name: "tides", description: "Knows the tides", skills: [skill] },
        ...{ tokens: TOKENS, pause },
      }),
    );
    const platform = await RecordPlatform.start({ tides }, { database: await newDatabase(storage) });
    const { api } = platform;
    const sessions = await Promise.all(upTo(5).map(() => api.create()));
    const all = await new EventFollower(platform.url).ready();
    for (const id of sessions) await api.post(id, "ask tides: when is high water in the harbour?");
    const speaking = () => sessions.filter((id) => answerText(all.of(id)).length > 20).length;
    await expect.poll(speaking, { timeout: 60_000 }).toBe(sessions.length);
    await platform.kill();
    await platform.restart();
    for (const id of sessions) {
      const { events, messages } = await api.ended(id, 60_000);
      const ends = events.filter(({ type }) => type === "agent_complete");
      expect(ends.map(({ payload }) => payload.state)).toEqual(["completed"]);
      expect([answerText(events), ends[0]?.payload.content, messages.at(-1)?.content]).toEqual([
        WHOLE,
        WHOLE,
        WHOLE,
      ]);
      await expect.poll(() => all.of(id).at(-1)?.index).toBe(events.length);
      expect(all.of(id)).toEqual(events.slice(1));
    }
    expect(tides.requests.filter(({ text }) => text !== "")).toHaveLength(sessions.length);
  });
});
