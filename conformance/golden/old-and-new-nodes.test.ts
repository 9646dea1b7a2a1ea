import { expect, it } from "vitest";
import { allSpeak, beginRuns, endedWell, goOn } from "../nodes/testing/many-runs.ts";
import { startPair } from "../nodes/testing/pair.ts";
import { EventFollower } from "../sessions/testing/event-follower.ts";
import { oldNodeProgram } from "./testing/old-node.ts";

/** One of each kind: by an external agent, by a hosted one, and by the supervisor with either. */
const RUNS = 4;
const PATIENCE_MS = 60_000;

it("an old and a new node share one Postgres: each serves and cancels the other's runs, and takes them over when the other is killed", {
  timeout: 180_000,
}, async () => {
  const {
    first: old,
    second: fresh,
    pace,
    whole,
  } = await startPair({
    ...{ first: { main: await oldNodeProgram() }, length: 60 },
    // The shortest lease there is.
    environment: { PARLEY_LEASE: "2" },
  });
  const atOld = await new EventFollower(old.url).ready();
  const atNew = await new EventFollower(fresh.url).ready();
  const sessions = [...(await beginRuns(old.api, RUNS)), ...(await beginRuns(fresh.api, RUNS))];
  const stopped: string[] = [];
  for (const [beginner, other] of [
    [old, fresh],
    [fresh, old],
  ] as const) {
    const id = await beginner.api.create({ agent: "slow" });
    const { run } = await beginner.api.post(id, "Speak until you are stopped");
    await allSpeak(atNew, [id]);
    await other.api.call("POST", `/sessions/${id}/runs/${run.id}/cancel`, {});
    stopped.push(id);
  }
  for (const each of [atOld, atNew]) {
    await allSpeak(each, sessions);
    const last = () => stopped.map((id) => each.of(id).at(-1)?.type);
    await expect.poll(last).toEqual(["agent_cancelled", "agent_cancelled"]);
  }

  await fresh.kill();
  await goOn(atOld, sessions, PATIENCE_MS);
  // Not the old one: it would refuse to start beside a schema that it does not know.
  await fresh.restart();
  await old.kill();
  await goOn(atNew, sessions, PATIENCE_MS);
  pace.hurry();
  for (const id of sessions) {
    const events = await endedWell(fresh.api, { id, whole });
    await expect.poll(() => atNew.of(id).at(-1)?.index).toBe(events.length);
    expect(atNew.of(id)).toEqual(events);
    expect(atOld.of(id)).toEqual(events.slice(0, atOld.of(id).length));
  }
});
