import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { patient } from "@parley/testing/patient.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, onTestFinished } from "vitest";
import { startAgentProcess } from "./testing/agent-process.ts";
import { collect, joined, type SeenEvent, type SeenTask, taskIdIn } from "./testing/seen.ts";
import { SPEAKERS, type Speaking, taskOf, v1Speaker } from "./testing/speakers.ts";

const PROOF_MAIN = fileURLToPath(new URL("testing/proof-main.ts", import.meta.url));
/** A task in flight at a crash is resumed or ended within so long. */
const WITHIN_MS = 15_000;

async function startAgent(folder: string, executor: "resumes" | "fails") {
  const agent = await startAgentProcess(folder, [PROOF_MAIN, executor]);
  onTestFinished(() => agent.kill());
  return { ...agent, speaking: SPEAKERS.map((speaker) => speaker.at(agent.url)) };
}

/** Starts this in the background and waits for its first output. */
async function begun(me: Speaking, text: string): Promise<string> {
  const { id } = taskOf(await me.send(text, { wait: false }));
  await expect.poll(async () => taskOf(await me.get(id)).artifacts.length, { interval: 5 }).toBe(1);
  return id;
}

/** The events that came before the connection broke. */
async function untilCut(
  events: AsyncIterable<SeenEvent>,
  enough: (seen: number) => void,
): Promise<SeenEvent[]> {
  const seen: SeenEvent[] = [];
  try {
    for await (const event of events) {
      seen.push(event);
      enough(seen.length);
    }
  } catch {
    // Cut, as intended.
  }
  return seen;
}

it("invariants 2 and 6: after kill −9 every delivered event is in the log, and the task ends as interrupted", async () => {
  const folder = await testFolder();
  const first = await startAgent(folder, "fails");
  let killed: Promise<void> | undefined;
  const seen = await untilCut(await v1Speaker.at(first.url).stream("pieces 1000000"), (count) => {
    if (count > 500) killed ??= first.kill();
  });
  await killed;
  const id = seen[0]?.task?.id ?? "";
  const me = v1Speaker.at((await startAgent(folder, "fails")).url);
  expect(taskOf(await me.get(id))).toMatchObject({ state: "failed", says: "interrupted" });
  const log = await collect(await me.subscribe(id, seen[0]?.index));
  expect(seen.length).toBeGreaterThan(500);
  expect(log.slice(0, seen.length - 1)).toEqual(seen.slice(1));
});

it("invariants 6 and 8: every task working at the kill fails as interrupted, in each dialect's view; the others are unchanged", async () => {
  const folder = await testFolder();
  const first = await startAgent(folder, "fails");
  const tasks = await Promise.all(
    first.speaking.map(async (me) => ({
      working: await Promise.all([begun(me, "trickle 100000"), begun(me, "hold")]),
      waiting: taskOf(await me.send("ask")).id,
      done: taskOf(await me.send("pieces 3")).id,
    })),
  );
  await first.kill();
  const second = await startAgent(folder, "fails");
  const v1 = v1Speaker.at(second.url);
  const states = () =>
    Promise.all(tasks.flatMap(({ working }) => working).map(async (id) => taskOf(await v1.get(id)).state));
  await expect.poll(states, { timeout: WITHIN_MS }).toEqual(tasks.flatMap(() => ["failed", "failed"]));
  for (const [speaker, { working, waiting, done }] of tasks.entries()) {
    for (const me of second.speaking) {
      const isOwn = me.name === second.speaking[speaker]?.name;
      for (const id of working)
        expect(taskOf(await me.get(id))).toMatchObject({ state: "failed", says: "interrupted" });
      if (!isOwn) continue;
      expect(taskOf(await me.get(done))).toMatchObject({ state: "completed", artifacts: ["0 1 2 "] });
      expect(taskOf(await me.get(waiting)).state).toBe("input-required");
      expect(taskOf(await me.send("pieces 1", { taskId: waiting })).state).toBe("completed");
    }
  }
});

it("invariants 6, 7 and 9, +1: a resumable executor resumes every task, and a client that reconnects by cursor misses and repeats nothing", async () => {
  const folder = await testFolder();
  const first = await startAgent(folder, "resumes");
  const whole = Array.from({ length: 3_000 }, (_, n) => `${n} `).join("");
  let cut = 0;
  const streams = await Promise.all(
    first.speaking.map(async (me) => {
      const events = await me.stream("count 3000");
      return untilCut(events, (count) => {
        // The kill comes while all of them are running.
        if (count === 100 && ++cut === first.speaking.length) void first.kill();
      });
    }),
  );
  const second = await startAgent(folder, "resumes");
  for (const [speaker, me] of second.speaking.entries()) {
    const before = streams[speaker] ?? [];
    expect(Object.values(joined(before))).not.toEqual([whole]);
    const following = collect(await me.subscribe(taskIdIn(before[0]), before.at(-1)?.index));
    const rest = await Promise.race([following, sleep(patient(WITHIN_MS), [], { ref: false })]);
    expect(Object.values(joined([...before, ...rest]))).toEqual([whole]);
    expect(rest.at(-1)?.state).toBe("completed");
    const task: SeenTask = taskOf(await me.get(taskIdIn(before[0])));
    expect(task).toMatchObject({ state: "completed", artifacts: [whole] });
  }
});

it("invariant 3: an acknowledged message survives kill −9, whether for a new, a waiting or a working task", async () => {
  const folder = await testFolder();
  const first = await startAgent(folder, "fails");
  const acknowledged = new Map<string, string[]>();
  const talk = async (me: Speaking) => {
    const [held, asking] = [await begun(me, "hold"), taskOf(await me.send("ask")).id];
    for (let n = 0; ; n++) {
      for (const taskId of [held, asking, undefined]) {
        const text = taskId === asking ? "ask again" : `message ${n}`;
        const { id } = taskOf(await me.send(text, { wait: false, ...(taskId && { taskId }) }));
        acknowledged.set(id, [...(acknowledged.get(id) ?? []), text]);
        if (total(acknowledged) > 200) void first.kill();
      }
    }
  };
  await Promise.allSettled(first.speaking.map(talk));
  const second = await startAgent(folder, "fails");
  const me = v1Speaker.at(second.url);
  for (const [id, texts] of acknowledged) {
    const said = taskOf(await me.get(id)).history.filter((text) => /^(message|ask again)/.test(text));
    expect(said.slice(0, texts.length)).toEqual(texts);
  }
  expect(total(acknowledged)).toBeGreaterThan(200);
});

function total(acknowledged: ReadonlyMap<string, readonly string[]>): number {
  return [...acknowledged.values()].reduce((sum, texts) => sum + texts.length, 0);
}
