import { leasesIn } from "@parley/testing/kept-leases.ts";
import { expect, it } from "vitest";
import { EventFollower } from "../sessions/testing/event-follower.ts";
import type { RecordPlatform } from "../sessions/testing/record-platform.ts";
import { allSpeak, beginRuns, endedWell, goOn } from "./testing/many-runs.ts";
import { startPair } from "./testing/pair.ts";

/** How often each node is restarted, one after the other; more than once is a longer test, with 20 runs. */
const RESTARTS = Number(process.env.PARLEY_RESTARTS ?? 1);
/** That begin on each node, of five kinds, of which two ask the agent `slow` directly. */
const RUNS = RESTARTS > 1 ? 10 : 5;
const SLOW_RUNS = (RUNS * 2) / 5;
/** Long enough that a busy machine gets to look at a node that drains. */
const DRAIN_MS = 3_000;

/** Drains a node, checks its responses meanwhile, and checks what it hands over. */
async function drained(node: RecordPlatform, database: string): Promise<void> {
  const { pid } = node;
  const ending = node.end();
  const drainResponses = async () => {
    const ask = (path: string) => fetch(node.url + path, { signal: AbortSignal.timeout(DRAIN_MS) });
    const [ready, events] = await Promise.all([ask("/readyz"), ask("/api/v1/events")]);
    const { status } = (await ready.json()) as { status: string };
    return [ready.status, status, events.status, events.headers.get("retry-after")];
  };
  await expect.poll(drainResponses, { interval: 20, timeout: 60_000 }).toEqual([503, "draining", 503, "1"]);
  const { code, milliseconds } = await ending;
  expect([code, milliseconds > DRAIN_MS], node.output.slice(-3_000)).toEqual([0, true]);
  const leases = [...(await leasesIn(database, "run/")), ...(await leasesIn(database, "task/"))];
  expect(leases.filter(({ owner }) => owner?.includes(`:${pid}:`))).toEqual([]);
}

it(`${RESTARTS} rolling restarts under ${2 * RUNS} runs: each node drains, hands over and restarts; clients lose no event and no run fails (invariants 5, 6, 7 and 9)`, {
  timeout: 300_000 + RESTARTS * 240_000,
}, async () => {
  const { first, second, database, slow, pace, whole } = await startPair({
    environment: { PARLEY_DRAIN: String(DRAIN_MS / 1_000), PARLEY_LEASE: "600" },
    length: 150 + 100 * RESTARTS,
  });
  const clients = await Promise.all([
    new EventFollower([first.url, second.url]).ready(),
    new EventFollower([second.url, first.url]).ready(),
  ]);
  const [client] = clients;
  const sessions = [...(await beginRuns(first.api, RUNS)), ...(await beginRuns(second.api, RUNS))];
  await allSpeak(client as EventFollower, sessions);
  const turns = Array.from({ length: 2 * RESTARTS }, (_, turn) =>
    turn % 2 === 0 ? ([first, second] as const) : ([second, first] as const),
  );
  for (const [node, other] of turns) {
    await drained(node, database);
    // Long before its leases would have expired.
    await goOn(client as EventFollower, sessions, 60_000);
    sessions.push(...(await beginRuns(other.api, 1)));
    await node.restart();
  }
  pace.hurry();
  for (const id of sessions) {
    const events = await endedWell(first.api, { id, whole });
    for (const seen of clients) {
      await expect.poll(() => seen.of(id).at(-1)?.index, { timeout: 60_000 }).toBe(events.length);
      expect(seen.of(id)).toEqual(events);
    }
  }
  expect(clients.flatMap(({ notices }) => notices)).not.toContain("reset");
  // No agent was called twice.
  expect(slow.requests.filter(({ text }) => text !== "")).toHaveLength(2 * SLOW_RUNS + turns.length);
});
