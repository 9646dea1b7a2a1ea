import type { TaskState } from "@parley/a2a";
import { expect, it } from "vitest";
import { KillRig, type RigAgent } from "./testing/kill-rig.ts";
import { killRounds } from "./testing/kill-rounds.ts";
import { expectNothingLost, recordedViolations } from "./testing/nothing-lost.ts";
import { seededChance } from "./testing/seeded-chance.ts";
import type { Manner } from "./testing/speaking-executor.ts";
import { closingOf, resultOf, type StepReport, speechOf } from "./testing/speech.ts";

const KILLS = Math.ceil(Number(process.env.PARLEY_SUPERVISOR_KILLS ?? 20) / 2);
const SEED = process.env.PARLEY_SEED ?? crypto.randomUUID();
/** What is said of one that was down for longer than a message is tried again of which nothing was sent. */
const UNREACHABLE = /failed: [^|]*cannot be (?:reached|used)[^|]*(?= \||$)/g;

/** What the supervisor must say of an agent whose task stands like this. */
function reportOn({ name, manner }: RigAgent, state: TaskState | undefined, request: string): StepReport {
  if (state === undefined) return { agent: name, state: "failed", result: "unreachable" };
  const failed = state === "TASK_STATE_FAILED" && manner === "fails";
  if (failed) return { agent: name, state: "failed", result: "interrupted" };
  return { agent: name, state: "completed", result: resultOf(name, speechOf(name, request)) };
}

it.each<{ manners: readonly [Manner, Manner] }>([
  { manners: ["goes on", "begins anew"] },
  { manners: ["goes on", "fails"] },
])(
  `invariants 6, 7 and 9, S0.10–11: sub-agents killed at ${KILLS} random moments, one of which "$manners.0" after a restart and one "$manners.1", lose and double nothing (seed ${SEED})`,
  {
    timeout: 60_000 * (KILLS + 1),
  },
  async ({ manners }) => {
    const agents = manners.map((manner, n): RigAgent => ({ name: n === 0 ? "git" : "files", manner }));
    const names = agents.map(({ name }) => name);
    const rig = await KillRig.start({ agents });
    const victims = [...rig.agents.values()];
    const taskIds: string[] = [];
    let cutShort = 0;
    let unreachable = 0;
    const rounds = killRounds(rig, { kills: KILLS, teams: [names], victims, chance: seededChance(SEED) });
    for await (const { request, reading, cutShort: wasCut } of rounds) {
      if (wasCut) cutShort++;
      const { task, answer, states } = await expectNothingLost(rig, [reading], names);
      taskIds.push(task.id);
      expect(task.status.state).toBe("TASK_STATE_COMPLETED");
      const reports = agents.map((agent) => reportOn(agent, states[agent.name], request));
      if (reports.some(({ result }) => result === "unreachable")) unreachable++;
      expect(answer.replaceAll(UNREACHABLE, "failed: unreachable")).toBe(closingOf(reports));
    }
    expect(cutShort).toBeGreaterThan(KILLS / 2);
    expect(unreachable).toBeLessThan(KILLS);
    await rig.supervisor.kill();
    expect(await recordedViolations(rig.folder, taskIds)).toEqual([]);
  },
);
