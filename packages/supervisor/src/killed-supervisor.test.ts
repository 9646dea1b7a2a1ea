import { setTimeout as sleep } from "node:timers/promises";
import type { StreamResponse } from "@parley/a2a";
import { expect, it } from "vitest";
import { KillRig } from "./testing/kill-rig.ts";
import { killRounds, WITHIN_MS } from "./testing/kill-rounds.ts";
import { expectNothingLost, recordedViolations } from "./testing/nothing-lost.ts";
import type { Reading } from "./testing/reading.ts";
import { seededChance } from "./testing/seeded-chance.ts";
import { closingOf, resultOf, speechOf } from "./testing/speech.ts";

const KILLS = Number(process.env.PARLEY_SUPERVISOR_KILLS ?? 20);
const SEED = process.env.PARLEY_SEED ?? crypto.randomUUID();
/** About as long as it takes from the notification of a call until its task is known. */
const SENDING_MS = 40;

/** With one agent that does a repeated message once, and one that would do it twice. */
function startRig(): Promise<KillRig> {
  return KillRig.start({
    agents: [
      { name: "git", manner: "goes on" },
      { name: "files", manner: "goes on", speaksExtension: false },
    ],
  });
}

/** Whoever is not asked with others is the answer. */
async function expectWhole(rig: KillRig, reading: Reading, agents: readonly string[], request: string) {
  const { task, answer } = await expectNothingLost(rig, [reading], agents);
  const [first = ""] = agents;
  const results = agents.map((agent) => {
    return { agent, state: "completed", result: resultOf(agent, speechOf(agent, request)) };
  });
  expect(task.status.state).toBe("TASK_STATE_COMPLETED");
  expect(answer).toBe(agents.length > 1 ? closingOf(results) : speechOf(first, request));
}

it(`invariants 6, 7 and 9, S0.10–11: a supervisor killed at ${KILLS} random moments, be it in the plan, in one or two branches or in its closing words, loses and doubles nothing (seed ${SEED})`, {
  timeout: 60_000 * (KILLS + 1),
}, async () => {
  const rig = await startRig();
  const teams = [["git", "files"], ["files", "git"], ["git"], ["git", "files"], ["files"]];
  const taskIds: string[] = [];
  let cutShort = 0;
  const victims = [rig.supervisor];
  const rounds = killRounds(rig, { kills: KILLS, teams, victims, chance: seededChance(SEED) });
  for await (const { agents, request, reading, cutShort: wasCut } of rounds) {
    if (wasCut) cutShort++;
    await expectWhole(rig, reading, agents, request);
    taskIds.push(reading.taskId);
  }
  expect(cutShort).toBeGreaterThan(KILLS / 2);
  await rig.supervisor.kill();
  expect(await recordedViolations(rig.folder, taskIds)).toEqual([]);
});

it(`invariants 6 and 7: a supervisor killed right after sending finds the task that it began, also at an agent that would do the message twice (seed ${SEED})`, {
  timeout: 60_000 * (KILLS + 1),
}, async () => {
  const rig = await startRig();
  const chance = seededChance(SEED);
  for (let kill = 0; kill < KILLS / 4; kill++) {
    const agents = [kill % 2 === 0 ? "files" : "git"];
    const request = `request ${kill}`;
    const reading = rig.ask({ agents, request });
    await reading.until(isCalled);
    await sleep(chance() * SENDING_MS);
    await rig.supervisor.kill();
    await rig.supervisor.begin();
    await reading.end(WITHIN_MS);
    await expectWhole(rig, reading, agents, request);
  }
});

function isCalled(event: StreamResponse): boolean {
  return "artifactUpdate" in event && event.artifactUpdate.artifact.name === "tool_notification_start";
}
