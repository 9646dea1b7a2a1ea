import { availableParallelism, loadavg } from "node:os";
import { patient } from "@parley/testing/patient.ts";
import { expect, it } from "vitest";
import { EventFollower } from "../sessions/testing/event-follower.ts";
import { allSpeak, beginRuns, endedWell } from "./testing/many-runs.ts";
import { startPair } from "./testing/pair.ts";

const RUNS = 50;
/** The time limit for a takeover of a dead node's work. */
const BACK_MS = 15_000;

it("two nodes share one Postgres: each shows and cancels the other's runs, and takes over 50 runs and the tasks of supervisor and agents within 15 s of a kill, with no loss or duplicates (+12, invariants 6, 7, 9, 12 and 15)", {
  timeout: 300_000,
}, async () => {
  const { first, second, slow, tides, pace, whole } = await startPair();
  const here = await new EventFollower(first.url).ready();
  const there = await new EventFollower(second.url).ready();
  const stopped = await first.api.create({ agent: "slow" });
  const { run } = await first.api.post(stopped, "Speak until you are stopped");
  const sessions = await beginRuns(first.api, RUNS);
  await allSpeak(there, [stopped, ...sessions]);

  await second.api.call("POST", `/sessions/${stopped}/runs/${run.id}/cancel`, {});
  await expect.poll(() => here.of(stopped).at(-1)?.type).toBe("agent_cancelled");
  await expect.poll(() => slow.canceled.length).toBe(1);

  await first.kill();
  const died = performance.now();
  const seen = new Map(sessions.map((id) => [id, there.of(id).length]));
  const standing = () => sessions.filter((id) => there.of(id).length === seen.get(id)).length;
  // Waits longer than allowed, so that a failure shows the actual time and the machine's load.
  await expect.poll(standing, { timeout: 8 * BACK_MS }).toBe(0);
  const busy = `load ${loadavg()[0]} on ${availableParallelism()} cores`;
  expect(performance.now() - died, busy).toBeLessThan(patient(BACK_MS));
  pace.hurry();
  for (const id of sessions) {
    const events = await endedWell(second.api, { id, whole });
    await expect.poll(() => there.of(id).at(-1)?.index).toBe(events.length);
    expect(there.of(id)).toEqual(events);
    // What the first node streamed before it died is a prefix of it.
    expect(here.of(id)).toEqual(events.slice(0, here.of(id).length));
  }
  expect([...here.notices, ...there.notices]).not.toContain("reset");
  const asked = (peer: typeof slow) => peer.requests.filter(({ text }) => text !== "").length;
  expect([asked(slow), asked(tides)]).toEqual([21, 10]);
});
