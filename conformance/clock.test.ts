import { fileURLToPath } from "node:url";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, onTestFinished, vi } from "vitest";
import { startAgentProcess } from "./testing/agent-process.ts";
import { startProofAgent } from "./testing/proof-agent.ts";
import { proofExecutor } from "./testing/proof-executor.ts";
import { collect, joined } from "./testing/seen.ts";
import { taskOf, v1Speaker } from "./testing/speakers.ts";

const PROOF_MAIN = fileURLToPath(new URL("testing/proof-main.ts", import.meta.url));
const HOUR_MS = 3_600_000;

/** Shifts the clock of this process by this much. */
function shiftClock(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms, shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
}

it.each([-HOUR_MS, HOUR_MS])(
  "invariants 6 and 17: a task interrupted by a crash is found with a clock that is off by %i ms",
  async (off) => {
    const folder = await testFolder();
    const crashed = await startAgentProcess(folder, [PROOF_MAIN]);
    const { id } = taskOf(await v1Speaker.at(crashed.url).send("hold", { wait: false }));
    await crashed.kill();
    shiftClock(off);
    const agent = await startProofAgent({ folder, executor: proofExecutor });
    onTestFinished(() => agent.stop());
    expect(taskOf(await v1Speaker.at(agent.url).get(id))).toMatchObject({
      state: "failed",
      says: "interrupted",
    });
  },
);

it("invariant 17: a clock that jumps back and forth during a stream does not change its order", async () => {
  const agent = await startProofAgent({ folder: await testFolder(), executor: proofExecutor });
  onTestFinished(() => agent.stop());
  const me = v1Speaker.at(agent.url);
  const events = await me.stream("trickle 100");
  const before = [];
  for (const off of [-HOUR_MS, 2 * HOUR_MS, -HOUR_MS]) {
    shiftClock(off);
    for (let n = 0; n < 10; n++) before.push((await events.next()).value);
  }
  const all = [...before.flatMap((event) => event ?? []), ...(await collect(events))];
  const whole = Array.from({ length: 100 }, (_, n) => `${n} `).join("");
  expect(Object.values(joined(all))).toEqual([whole]);
  const indices = all.map(({ index }) => Number(index));
  expect(indices).toEqual(indices.toSorted((a, b) => a - b));
  expect(await collect(await me.subscribe(all[0]?.task?.id ?? "", all[4]?.index))).toEqual(all.slice(5));
});
