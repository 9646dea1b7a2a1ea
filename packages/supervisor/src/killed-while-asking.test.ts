import { setTimeout as sleep } from "node:timers/promises";
import { textOf } from "@parley/a2a";
import { expect, it } from "vitest";
import { KillRig } from "./testing/kill-rig.ts";
import { WITHIN_MS } from "./testing/kill-rounds.ts";
import { expectNothingLost, recordedViolations } from "./testing/nothing-lost.ts";
import { seededChance } from "./testing/seeded-chance.ts";
import { closingOf, speechOf } from "./testing/speech.ts";

const ROUNDS = Math.ceil(Number(process.env.PARLEY_SUPERVISOR_KILLS ?? 20) / 4);
const SEED = process.env.PARLEY_SEED ?? crypto.randomUUID();
const AGENTS = ["git", "shy"];
/** About as long as it takes until an answer has reached the agent that asked. */
const DELIVERY_MS = 60;

async function said(rig: KillRig, agent: string, contextId: string): Promise<string[]> {
  const { tasks } = await rig.client(agent).list({ contextId, historyLength: 100 });
  const messages = tasks.flatMap(({ history = [] }) => history.filter(({ role }) => role === "ROLE_USER"));
  return messages.map(textOf);
}

it.each([
  { speaksExtension: true, what: "one that does a repeated message once" },
  { speaksExtension: false, what: "one that would do it twice" },
])(
  `invariants 3, 6 and 7, S1.13: a supervisor killed before a question, while it waits and after the answer, gives it once to just the agent that asked: $what, ${ROUNDS} times each (seed ${SEED})`,
  {
    timeout: 60_000 * (ROUNDS + 1),
  },
  async ({ speaksExtension }) => {
    const rig = await KillRig.start({
      agents: [
        { name: "git", manner: "goes on", speaksExtension },
        { name: "shy", manner: "asks", speaksExtension },
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
      const request = `request ${round}`;
      const first = rig.ask({ agents: AGENTS, request });
      await killAfter(chance() * 600);
      await first.end(WITHIN_MS);
      expect(first.state).toBe("TASK_STATE_INPUT_REQUIRED");
      await killAfter(0);
      const second = rig.say("the blue", first.taskId);
      await killAfter(chance() * DELIVERY_MS);
      await second.end(WITHIN_MS);
      expect(second.state).toBe("TASK_STATE_COMPLETED");
      const { task, answer } = await expectNothingLost(rig, [first, second], AGENTS);
      taskIds.push(task.id);
      expect(await said(rig, "shy", task.contextId)).toEqual([request, "the blue"]);
      expect(await said(rig, "git", task.contextId)).toEqual([request]);
      const results = [
        { agent: "git", state: "completed", result: speechOf("git", request) },
        { agent: "shy", state: "completed", result: `${speechOf("shy", request)} You said the blue.` },
      ];
      expect(answer).toBe(closingOf(results));
    }
    await rig.supervisor.kill();
    expect(await recordedViolations(rig.folder, taskIds)).toEqual([]);
  },
);
