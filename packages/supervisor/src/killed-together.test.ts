import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { KillRig } from "./testing/kill-rig.ts";
import { WITHIN_MS } from "./testing/kill-rounds.ts";
import { expectNothingLost } from "./testing/nothing-lost.ts";
import { closingOf, resultOf, speechOf } from "./testing/speech.ts";

/** Longer than a client tries again by itself. */
const OUTAGE_MS = 4_000;

it("invariants 6 and 7: killed together with its agents, which come back later, a supervisor waits for them and goes on", {
  timeout: 180_000,
}, async () => {
  const agents = ["git", "files"];
  const rig = await KillRig.start({ agents: agents.map((name) => ({ name, manner: "goes on" })) });
  const reading = rig.ask({ agents, request: "together" });
  await reading.until(
    (event) => "artifactUpdate" in event && event.artifactUpdate.artifact.name === "current_result",
  );
  const all = [rig.supervisor, ...rig.agents.values()];
  await Promise.all(all.map((one) => one.kill()));
  await rig.supervisor.begin();
  await sleep(OUTAGE_MS);
  await Promise.all([...rig.agents.values()].map((agent) => agent.begin()));
  await reading.end(WITHIN_MS);
  const { answer } = await expectNothingLost(rig, [reading], agents);
  const results = agents.map((agent) => {
    return { agent, state: "completed", result: resultOf(agent, speechOf(agent, "together")) };
  });
  expect(answer).toBe(closingOf(results));
});
