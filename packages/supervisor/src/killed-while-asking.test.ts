import { setTimeout as sleep } from "node:timers/promises";
import { textOf } from "@parley/a2a";
import { expect, it } from "vitest";
import { KillRig } from "./testing/kill-rig.ts";
import { WITHIN_MS } from "./testing/kill-rounds.ts";
import { expectNothingLost, recordedViolations } from "./testing/nothing-lost.ts";
import { seededChance } from "./testing/seeded-chance.ts";
import { closingOf, resultOf, speechOf } from "./testing/speech.ts";

const ROUNDS = Math.ceil(Number(process.env.PARLEY_SUPERVISOR_KILLS ?? 20) * 0.2);
const SEED = process.env.PARLEY_SEED ?? crypto.randomUUID();
/** About as long as it takes until an answer has reached the agent that asked. */
const DELIVERY_MS = 60;

async function said(rig: KillRig, agent: string, contextId: string): Promise<string[]> {
  const { tasks } = await rig.client(agent).list({ contextId, historyLength: 100 });
  const messages = tasks.flatMap(({ history = [] }) => history.filter(({ role }) => role === "ROLE_USER"));
  return messages.map(textOf);
}

it(`invariants 3, 6 and 7, S1.13: a supervisor killed before a question, while it waits and after the answer, gives it once to just the agent that asked, ${ROUNDS} times (seed ${SEED})`, {
  timeout: 180_000 * (ROUNDS + 1),
}, async () => {
  const rig = await KillRig.start({
    agents: [
      { name: "git", manner: "goes on" },
      { name: "shy", manner: "asks" },
      // It would do a repeated message twice.
      { name: "plain", manner: "asks", speaksExtension: false },
    ],
  });
  const chance = seededChance(SEED);
  const killAfter = async (milliseconds: number) => {
    await sleep(milliseconds);
    await rig.supervisor.kill();
    await rig.supervisor.begin();
  };
  const taskIds: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const asker = round % 2 === 0 ? "shy" : "plain";
    const agents = ["git", asker];
    const request = `request ${round}`;
    const first = rig.ask({ agents, request });
    await killAfter(chance() * 600);
    await first.end(WITHIN_MS);
    expect(first.state).toBe("TASK_STATE_INPUT_REQUIRED");
    await killAfter(0);
    const second = rig.say("the blue", first.taskId);
    await killAfter(chance() * DELIVERY_MS);
    await second.end(WITHIN_MS);
    expect(second.state).toBe("TASK_STATE_COMPLETED");
    const { task, answer } = await expectNothingLost(rig, [first, second], agents);
    taskIds.push(task.id);
    expect(await said(rig, asker, task.contextId)).toEqual([request, "the blue"]);
    expect(await said(rig, "git", task.contextId)).toEqual([request]);
    const results = agents.map((agent) => {
      const speech = speechOf(agent, request) + (agent === asker ? " You said the blue." : "");
      return { agent, state: "completed", result: resultOf(agent, speech) };
    });
    expect(answer).toBe(closingOf(results));
  }
  await rig.supervisor.kill();
  expect(await recordedViolations(rig.folder, taskIds)).toEqual([]);
});
