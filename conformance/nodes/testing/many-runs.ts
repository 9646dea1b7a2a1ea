import { expect } from "vitest";
import { answerText } from "../../sessions/testing/answer-text.ts";
import type { ApiClient, ApiEvent } from "../../sessions/testing/api-client.ts";
import type { EventFollower } from "../../sessions/testing/event-follower.ts";

/** The kinds of runs: the agent, and the prompt. */
const WAYS = [
  { agent: "slow", content: "Speak" },
  { agent: undefined, content: "ask tides: when is high water?" },
  { agent: "teller", content: "Tell a story" },
  { agent: undefined, content: "ask teller: tell a story" },
  { agent: "slow", content: "Speak on" },
];

/** Begins so many runs, of every kind: by an agent elsewhere, by one that is hosted here, and by the supervisor with either. Returns their sessions. */
export async function beginRuns(api: ApiClient, count: number): Promise<string[]> {
  const sessions: string[] = [];
  for (let n = 0; n < count; n++) {
    const { agent, content } = WAYS[n % WAYS.length] ?? {};
    const id = await api.create(agent === undefined ? {} : { agent });
    await api.post(id, content ?? "");
    sessions.push(id);
  }
  return sessions;
}

/** Resolves when each of them is streaming its answer. */
export async function allSpeak(
  follower: EventFollower,
  sessions: readonly string[],
  timeout = 120_000,
): Promise<void> {
  const silent = () => sessions.filter((id) => answerText(follower.of(id)).length < 5).length;
  await expect.poll(silent, { timeout }).toBe(0);
}

/** The session's events once its run has ended; checks that the answer is complete, once, and equals the snapshot. */
export async function endedWell(
  api: ApiClient,
  { id, whole }: { readonly id: string; readonly whole: string },
  timeout = 120_000,
): Promise<readonly ApiEvent[]> {
  const { events, messages } = await api.ended(id, timeout);
  const ends = events.filter(({ type }) => type === "agent_complete");
  expect(ends.map(({ payload }) => [payload.state, payload.reason])).toEqual([["completed", undefined]]);
  expect(answerText(events)).toBe(whole);
  expect(ends[0]?.payload.content).toBe(whole);
  expect(messages.map(({ content }) => content).slice(1)).toEqual([whole]);
  expect(events.map(({ index }) => index)).toEqual(events.map((_, place) => place + 1));
  return events;
}

/** Resolves when each of them has got further than it is now. */
export async function goOn(
  follower: EventFollower,
  sessions: readonly string[],
  timeout: number,
): Promise<void> {
  const seen = new Map(sessions.map((id) => [id, follower.of(id).length]));
  const standing = () => sessions.filter((id) => follower.of(id).length === seen.get(id)).length;
  await expect.poll(standing, { timeout }).toBe(0);
}
