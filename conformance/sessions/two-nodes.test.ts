import { expect, it } from "vitest";
import { numberedTokens, startSlowPeer } from "../peers/index.ts";
import { during } from "../peers/testing/peer-client.ts";
import { answerText, upTo } from "./testing/answer-text.ts";
import { EventFollower } from "./testing/event-follower.ts";
import { newDatabase, RecordPlatform } from "./testing/record-platform.ts";

const RUNS = 8;
const BACK_MS = 15_000;
const TOKENS = numberedTokens(120);
const WHOLE = TOKENS.join("");
const skill = { id: "tides", name: "Tides", description: "Tells the tides at a harbour", tags: ["tides"] };
const isSupervisors = (place: number) => place % 4 === 0;

it("two nodes on one Postgres are one record: each shows and stops what the other does, and takes its runs over when it dies (+12, invariants 6, 7, 9, 12 and 15)", {
  timeout: 120_000,
}, async () => {
  const slow = await during(startSlowPeer({ tokens: TOKENS, pause: 150 }));
  const about = { name: "tides", description: "Knows the tides", skills: [skill] };
  const tides = await during(startSlowPeer({ ...about, tokens: TOKENS, pause: 150 }));
  const database = await newDatabase("Postgres");
  const first = await RecordPlatform.start({ slow, tides }, { database });
  const second = await RecordPlatform.start({ slow, tides }, { database });
  const here = await new EventFollower(first.url).ready();
  const there = await new EventFollower(second.url).ready();
  const stopped = await first.api.create({ agent: "slow" });
  const sessions = await Promise.all(
    upTo(RUNS).map((n) => first.api.create(isSupervisors(n) ? {} : { agent: "slow" })),
  );
  const { run } = await first.api.post(stopped, "Speak until you are stopped");
  for (const [place, id] of sessions.entries())
    await first.api.post(id, isSupervisors(place + 1) ? "ask tides: when is high water?" : "Speak");
  const speaking = () => [stopped, ...sessions].filter((id) => answerText(there.of(id)).length > 20).length;
  await expect.poll(speaking, { timeout: 20_000 }).toBe(RUNS + 1);

  await second.api.call("POST", `/sessions/${stopped}/runs/${run.id}/cancel`, {});
  await expect.poll(() => here.of(stopped).at(-1)?.type).toBe("agent_cancelled");
  await expect.poll(() => slow.canceled.length).toBe(1);

  await first.kill();
  const died = performance.now();
  const seen = new Map(sessions.map((id) => [id, there.of(id).length]));
  const goingOn = () => sessions.filter((id) => there.of(id).length > (seen.get(id) ?? 0)).length;
  await expect.poll(goingOn, { timeout: BACK_MS }).toBe(RUNS);
  expect(performance.now() - died).toBeLessThan(BACK_MS);
  for (const id of sessions) {
    const { events, messages } = await second.api.ended(id, 60_000);
    expect(messages.map(({ content }) => content).slice(1)).toEqual([WHOLE]);
    expect(answerText(events)).toBe(WHOLE);
    expect(events.filter(({ type }) => type === "agent_complete")).toHaveLength(1);
    await expect.poll(() => there.of(id).at(-1)?.index).toBe(events.length);
    expect(there.of(id)).toEqual(events);
    // What the first node showed before it died is the beginning of that.
    expect(here.of(id)).toEqual(events.slice(0, here.of(id).length));
  }
  expect([...here.notices, ...there.notices]).not.toContain("reset");
  const asked = (peer: typeof slow) => peer.requests.filter(({ text }) => text !== "").length;
  expect([asked(slow), asked(tides)]).toEqual([7, 2]);
});
