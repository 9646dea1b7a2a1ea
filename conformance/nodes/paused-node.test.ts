import { leasesIn } from "@parley/testing/kept-leases.ts";
import { expect, it } from "vitest";
import { EventFollower } from "../sessions/testing/event-follower.ts";
import type { RecordPlatform } from "../sessions/testing/record-platform.ts";
import { allSpeak, beginRuns, endedWell, goOn } from "./testing/many-runs.ts";
import { startPair } from "./testing/pair.ts";

const TAKEOVERS = Number(process.env.PARLEY_TAKEOVERS ?? 5);
const RUNS = 5;

/** The number of runs owned by another node. */
async function runsElsewhere(database: string, { pid }: RecordPlatform): Promise<number> {
  const runs = await leasesIn(database, "run/");
  return runs.filter(({ owner }) => !owner?.includes(`:${pid}:`)).length;
}

/** Each run's owner, and the last event of its session. */
async function standing(
  database: string,
  { api }: RecordPlatform,
  sessions: readonly string[],
): Promise<string> {
  const leases = [...(await leasesIn(database, "run/")), ...(await leasesIn(database, "task/"))];
  const lasts = await Promise.all(sessions.map(async (id) => (await api.read(id)).events.slice(-2)));
  return [...leases, ...lasts.flat()].map((line) => JSON.stringify(line)).join("\n");
}

it(`a node paused for longer than its lease writes nothing after it resumes: ${TAKEOVERS} takeovers back and forth (invariants 6, 9 and 13)`, {
  timeout: 240_000 + TAKEOVERS * 60_000,
}, async () => {
  const { first, second, database, pace, whole } = await startPair({
    environment: { PARLEY_LEASE: "3" },
    length: 100 + 30 * TAKEOVERS,
  });
  const followers = new Map(
    await Promise.all(
      [first, second].map(async (node) => [node, await new EventFollower(node.url).ready()] as const),
    ),
  );
  const seenBy = (node: typeof first) => followers.get(node) as EventFollower;
  const sessions = await beginRuns(first.api, RUNS);
  await allSpeak(seenBy(second), sessions);

  let [owner, other] = [first, second];
  for (let round = 0; round < TAKEOVERS; round++) {
    owner.send("SIGSTOP");
    const left = () => runsElsewhere(database, other);
    try {
      await expect.poll(left, { timeout: 60_000, interval: 200 }).toBe(0);
      await goOn(seenBy(other), sessions, 60_000);
    } catch (error) {
      const stand = await standing(database, other, sessions);
      throw new Error(`Not all went on from ${other.pid}, in round ${round}:\n${stand}`, { cause: error });
    }
    // It resumes in the middle of its work, believing that it still holds its lease.
    owner.send("SIGCONT");
    [owner, other] = [other, owner];
  }
  pace.hurry();
  for (const id of sessions) {
    const events = await endedWell(first.api, { id, whole });
    for (const follower of followers.values()) {
      await expect.poll(() => follower.of(id).at(-1)?.index, { timeout: 60_000 }).toBe(events.length);
      expect(follower.of(id)).toEqual(events);
    }
  }
  // Each takeover raised the epoch of each run.
  const runs = await leasesIn(database, "run/");
  expect(runs).toHaveLength(RUNS);
  expect(Math.min(...runs.map(({ epoch }) => epoch))).toBeGreaterThan(TAKEOVERS);
});
