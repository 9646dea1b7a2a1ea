import { expect, it } from "vitest";
import { KillRig } from "./testing/kill-rig.ts";
import { killRounds } from "./testing/kill-rounds.ts";
import { expectNothingLost, recordedViolations } from "./testing/nothing-lost.ts";
import { seededChance } from "./testing/seeded-chance.ts";
import type { Manner } from "./testing/speaking-executor.ts";
import { closingOf, speechOf } from "./testing/speech.ts";

const KILLS = Number(process.env.PARLEY_SUPERVISOR_KILLS ?? 20);
const SEED = process.env.PARLEY_SEED ?? crypto.randomUUID();
const AGENTS = ["git", "files"];

it.each<{ manners: readonly Manner[]; kills: number; what: string }>([
  { manners: ["goes on", "begins anew"], kills: KILLS, what: "goes on or begins anew" },
  { manners: ["goes on", "fails"], kills: Math.ceil(KILLS / 2), what: "goes on or fails as interrupted" },
])(
  `invariants 6, 7 and 9, S0.16: sub-agents killed at random moments are waited for, and each $what, $kills kills (seed ${SEED})`,
  {
    timeout: 30_000 * (KILLS + 1),
  },
  async ({ manners, kills }) => {
    const agents = AGENTS.map((name, n) => ({ name, manner: manners[n] ?? "goes on" }));
    const rig = await KillRig.start({ agents });
    const victims = [...rig.agents.values()];
    const taskIds: string[] = [];
    let cutShort = 0;
    const rounds = killRounds(rig, { kills, agents: AGENTS, victims, chance: seededChance(SEED) });
    for await (const { request, reading, cutShort: wasCut } of rounds) {
      if (wasCut) cutShort++;
      const { task, answer, states } = await expectNothingLost(rig, [reading], AGENTS);
      taskIds.push(task.id);
      expect(task.status.state).toBe("TASK_STATE_COMPLETED");
      const results = agents.map(({ name, manner }) => {
        const failed = manner === "fails" && states[name] === "TASK_STATE_FAILED";
        return failed
          ? { agent: name, state: "failed", result: "interrupted" }
          : { agent: name, state: "completed", result: speechOf(name, request) };
      });
      expect(answer).toBe(closingOf(results));
    }
    expect(cutShort).toBeGreaterThan(kills / 2);
    await rig.supervisor.kill();
    expect(await recordedViolations(rig.folder, taskIds)).toEqual([]);
  },
);
