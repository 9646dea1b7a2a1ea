import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TaskArtifactUpdate } from "@parley/a2a";
import type { Journal } from "@parley/journal";
import { ChildProgram } from "@parley/testing/child-program.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it } from "vitest";
import type { Step } from "./step.ts";
import { joinedText } from "./testing/seen-stream.ts";
import { startTripModel, wholeText } from "./testing/trip-model.ts";
import { openJournal } from "./testing/working-agent.ts";

const KILLS = Number(process.env.PARLEY_AGENT_KILLS ?? 20);
/** About as long as a task takes. */
const LONGEST_LIFE_MS = 300;

interface LoggedCall {
  readonly trip: string;
  readonly tool: string;
  readonly life: number;
}

/** What the journal has of a task: what callers saw, and the steps that were noted. */
async function recordOf(journal: Journal, taskId: string) {
  const events = (await journal.read(`task/${taskId}`, 0, 10_000)).map(({ payload }) => payload as object);
  const steps = events.flatMap((event) => ("noted" in event ? [event.noted as Step] : []));
  const outcomes = steps.flatMap((step) => ("outcome" in step ? [step.outcome] : []));
  const states = events.flatMap((event) =>
    "statusUpdate" in event ? [(event.statusUpdate as { status: { state: string } }).status.state] : [],
  );
  return {
    text: joinedText(events as never).current_result,
    outcomes,
    state: states.at(-1),
    files: filesIn(events),
  };
}

/** Each time that a file was told: its id without the task's, and what it holds. */
function filesIn(events: readonly object[]): string[][] {
  return events.flatMap((event) => {
    const update = "artifactUpdate" in event ? (event.artifactUpdate as TaskArtifactUpdate) : undefined;
    const [part] = update?.artifact.parts ?? [];
    if (!update || part?.raw === undefined) return [];
    expect([update.append, update.lastChunk]).toEqual([false, true]);
    const id = update.artifact.artifactId.slice(update.taskId.length);
    return [[id, Buffer.from(part.raw, "base64").toString()]];
  });
}

it(`invariants 6, 7 and 9: in ${KILLS} lives ended by kill −9, every task completes, no recorded call is made again, none that may not be, and each file of a call is told once`, {
  timeout: 60_000 * (KILLS + 1),
}, async () => {
  const folder = await testFolder();
  const log = join(folder, "calls.log");
  const modelUrl = await startTripModel();
  const tasks = new Map<string, string>();
  let cutShort = 0;
  const cache = { NODE_COMPILE_CACHE: join(folder, "cache") };
  const born = (number: number) =>
    new ChildProgram(
      new URL("testing/agent-until-killed.ts", import.meta.url),
      { folder, log, number, modelUrl },
      cache,
    );
  let next = born(0);
  for (let number = 0; number < KILLS; number++) {
    const life = next;
    await life.printed(1);
    // It gets ready while this one lives.
    next = born(number + 1);
    life.tell(`T${number}`);
    await life.printed(2);
    tasks.set(`T${number}`, life.lines[1] ?? "");
    await sleep(Math.random() * LONGEST_LIFE_MS);
    if (life.lines.length < 3) cutShort++;
    await life.kill();
  }
  await next.printed(1);
  next.tell("");
  await next.printed(2);
  await next.kill();
  expect(cutShort).toBeGreaterThan(KILLS / 4);

  const calls = (await readFile(log, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line): LoggedCall => JSON.parse(line));
  const journal = await openJournal("SQLite", folder);
  for (const [trip, taskId] of tasks) {
    const { text, outcomes, state, files } = await recordOf(journal, taskId);
    const livesOf = (tool: string) =>
      calls.flatMap((call) => (call.trip === trip && call.tool === tool ? [call.life] : []));
    expect(state).toBe("TASK_STATE_COMPLETED");
    // One outcome each, whatever happened in between.
    expect(outcomes.map(({ id }) => id).toSorted()).toEqual(["look", "pay", "reserve"]);
    for (const tool of ["look", "reserve"]) {
      const lives = livesOf(tool);
      const outcome = outcomes.find(({ id }) => id === tool);
      // Made at most once in a life, and never again after the life that recorded what came of it.
      expect(new Set(lives).size).toBe(lives.length);
      expect(outcome).toMatchObject({
        outcome: "succeeded",
        text: expect.stringMatching(new RegExp(`^${tool} done in life ${Math.max(...lives)}\n\\[given to`)),
      });
    }
    // The file of each call that succeeded, as that call made it, told in one event: neither lost nor doubled.
    const made = outcomes.filter(({ outcome }) => outcome === "succeeded");
    expect(files.toSorted()).toEqual(
      made.map(({ id, text: said }) => [`-file-${id}-0`, said.split("\n")[0]]).toSorted(),
    );
    const payment = outcomes.find(({ id }) => id === "pay")?.outcome;
    if (payment === "succeeded") expect(livesOf("pay")).toHaveLength(1);
    else {
      expect(payment).toBe("unknown");
      expect(livesOf("pay").length).toBeLessThanOrEqual(1);
    }
    expect(text).toBe(wholeText(trip, payment === "succeeded" ? "made" : "unknown"));
  }
});
