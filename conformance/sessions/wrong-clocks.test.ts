import { expect, it } from "vitest";
import { numberedTokens, startSlowPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { answerText, upTo } from "./testing/answer-text.ts";
import { EventFollower } from "./testing/event-follower.ts";
import { newDatabase, RecordPlatform, STORAGES } from "./testing/record-platform.ts";

const HOUR_MS = 3_600_000;
const TOKENS = numberedTokens(120);

it.each(STORAGES)(
  "invariant 17: on %s clocks an hour ahead or behind affect neither order nor ownership",
  {
    timeout: 180_000,
  },
  async (storage) => {
    const slow = await during(startSlowPeer({ tokens: TOKENS, pause: storage === "Postgres" ? 120 : 50 }));
    const database = await newDatabase(storage);
    const ahead = await RecordPlatform.start({ slow }, { database, clockOffMs: HOUR_MS });
    const follower = await new EventFollower(ahead.url).ready();
    const quiet = await ahead.api.create({ title: "Quiet" });
    const speaking = await ahead.api.create({ agent: "slow", title: "Speaking" });
    const { cursor } = await ahead.api.call<{ cursor: string }>("GET", "/sessions");
    await ahead.api.post(speaking, "Speak");
    await expect
      .poll(() => answerText(follower.of(speaking)).length, { timeout: 60_000 })
      .toBeGreaterThan(20);

    // A second node whose clock is behind: on Postgres it takes nothing from the first one while that one lives.
    const behind =
      storage === "Postgres"
        ? await RecordPlatform.start({ slow }, { database, clockOffMs: -HOUR_MS })
        : ahead;
    if (behind !== ahead) expect(behind.output).not.toContain("run taken");
    await ahead.kill();
    const seen = follower.of(speaking).length;
    if (behind === ahead) await ahead.restart({ clockOffMs: -HOUR_MS });
    const isBack = async () => (await behind.api.read(speaking)).events.length > seen + 1;
    await expect.poll(isBack, { timeout: 60_000 }).toBe(true);

    await behind.api.call("PATCH", `/sessions/${quiet}`, { title: "Changed last" });
    const { sessions } = await behind.api.call<{ sessions: { title: string }[] }>("GET", "/sessions");
    expect(sessions[0]?.title).toBe("Changed last");
    const since = await behind.api.call<{ updated: { id: string }[] }>("GET", `/sessions?since=${cursor}`);
    expect(since.updated.map(({ id }) => id).toSorted()).toEqual([quiet, speaking].toSorted());
    const { events } = await behind.api.ended(speaking, 40_000);
    expect(answerText(events)).toBe(TOKENS.join(""));
    expect(events.map(({ index }) => index)).toEqual(upTo(events.length));
    // The clock did jump.
    const times = events.map(({ timestamp }) => Date.parse(timestamp));
    expect((times[0] ?? 0) - (times.at(-1) ?? 0)).toBeGreaterThan(HOUR_MS);
  },
);
