import { leasesIn } from "@parley/testing/kept-leases.ts";
import { expect, it } from "vitest";
import { EventFollower } from "../sessions/testing/event-follower.ts";
import type { RecordPlatform } from "../sessions/testing/record-platform.ts";
import { allSpeak, beginRuns, endedWell, goOn } from "./testing/many-runs.ts";
import { startPair } from "./testing/pair.ts";

const RUNS = 5;
const DRAIN_MS = 1_000;

/** Ends a node, which tells so while it does, and looks at what it leaves behind. */
async function drained(node: RecordPlatform, database: string): Promise<void> {
  const { pid } = node;
  const ending = node.end();
  const readiness = async () => {
    const response = await fetch(`${node.url}/readyz`);
    return [response.status, ((await response.json()) as { status: string }).status];
  };
  await expect.poll(readiness, { interval: 20 }).toEqual([503, "draining"]);
  const events = await fetch(`${node.url}/api/v1/events`);
  expect([events.status, events.headers.get("retry-after")]).toEqual([503, "1"]);
  const { code, milliseconds } = await ending;
  expect([code, milliseconds > DRAIN_MS]).toEqual([0, true]);
  const leases = [...(await leasesIn(database, "run/")), ...(await leasesIn(database, "task/"))];
  expect(leases.filter(({ owner }) => owner?.includes(`:${pid}:`))).toEqual([]);
}

it("a rolling restart: each node drains, hands over and comes back; clients of both lose no event and no run fails (invariants 5, 6, 7 and 9)", {
  timeout: 300_000,
}, async () => {
  const { first, second, database, slow, pace, whole } = await startPair({
    environment: { PARLEY_DRAIN: String(DRAIN_MS / 1_000), PARLEY_LEASE: "600" },
  });
  const clients = await Promise.all([
    new EventFollower([first.url, second.url]).ready(),
    new EventFollower([second.url, first.url]).ready(),
  ]);
  const [client] = clients;
  const sessions = [...(await beginRuns(first.api, RUNS)), ...(await beginRuns(second.api, RUNS))];
  await allSpeak(client as EventFollower, sessions);
  for (const [node, other] of [
    [first, second],
    [second, first],
  ] as const) {
    await drained(node, database);
    // Long before its leases would have run out.
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
  // No agent was asked a second time.
  expect(slow.requests.filter(({ text }) => text !== "")).toHaveLength(4 + 2);
});
