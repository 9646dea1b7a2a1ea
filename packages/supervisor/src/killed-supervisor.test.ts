import { expect, it } from "vitest";
import { KillRig } from "./testing/kill-rig.ts";
import { killRounds } from "./testing/kill-rounds.ts";
import { expectNothingLost, recordedViolations } from "./testing/nothing-lost.ts";
import { seededChance } from "./testing/seeded-chance.ts";
import { closingOf, speechOf } from "./testing/speech.ts";

const KILLS = Number(process.env.PARLEY_SUPERVISOR_KILLS ?? 20);
const SEED = process.env.PARLEY_SEED ?? crypto.randomUUID();

it.each([
  { agents: ["git", "files"], kills: KILLS, what: "two branches and a closing turn" },
  { agents: ["git"], kills: Math.ceil(KILLS / 2), what: "one agent whose words are the answer" },
])(
  `invariants 6, 7 and 9, S0.16: a supervisor killed at random moments loses and doubles nothing: $what, $kills kills (seed ${SEED})`,
  {
    timeout: 30_000 * (KILLS + 1),
  },
  async ({ agents, kills }) => {
    const rig = await KillRig.start({ agents: agents.map((name) => ({ name, manner: "goes on" })) });
    const taskIds: string[] = [];
    let cutShort = 0;
    const rounds = killRounds(rig, { kills, agents, victims: [rig.supervisor], chance: seededChance(SEED) });
    for await (const { request, reading, cutShort: wasCut } of rounds) {
      if (wasCut) cutShort++;
      const { task, answer } = await expectNothingLost(rig, [reading], agents);
      taskIds.push(task.id);
      const results = agents.map((agent) => ({
        agent,
        state: "completed",
        result: speechOf(agent, request),
      }));
      expect(task.status.state).toBe("TASK_STATE_COMPLETED");
      expect(answer).toBe(results.length > 1 ? closingOf(results) : results[0]?.result);
    }
    expect(cutShort).toBeGreaterThan(kills / 2);
    await rig.supervisor.kill();
    expect(await recordedViolations(rig.folder, taskIds)).toEqual([]);
  },
);
