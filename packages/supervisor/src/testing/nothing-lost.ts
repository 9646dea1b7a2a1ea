import {
  type Artifact,
  memberIn,
  provenance,
  type Task,
  type TaskState,
  taskTables,
  textOf,
} from "@parley/a2a";
import { openSqliteJournal } from "@parley/journal";
import { expect } from "vitest";
import type { KillRig } from "./kill-rig.ts";
import type { Reading } from "./reading.ts";
import { appendViolations, texts, wordsOf } from "./seen.ts";

/** What became of an answer, after all was checked that must be true of any. */
export interface Outcome {
  readonly task: Task;
  readonly answer: string;
  /** How each agent's task ended; undefined: it could not be reached, and has none. */
  readonly states: Readonly<Record<string, TaskState | undefined>>;
}

/**
 * Checks that what the reader joined is what the task holds and what its snapshot says, that each agent's words are
 * there just as the agent has them, and that no agent was given the same work twice.
 */
export async function expectNothingLost(
  rig: KillRig,
  readings: readonly Reading[],
  agents: readonly string[],
): Promise<Outcome> {
  const events = readings.flatMap((reading) => reading.events);
  const task = await rig.client("supervisor").get({ id: readings[0]?.taskId ?? "" });
  const { artifacts = [] } = task;
  expect(appendViolations(events)).toEqual([]);
  const seen = texts(events, "artifactId");
  const held = Object.fromEntries(artifacts.map((artifact) => [artifact.artifactId, wordsOf(artifact)]));
  expect(seen).toEqual(held);
  const named = (name: string) => artifacts.filter((artifact) => artifact.name === name).map(textOf);
  const [answer = ""] = named("streaming_result");
  expect(named("streaming_result")).toEqual([answer]);
  expect(named("partial_result")).toEqual([answer]);
  expectOnce(artifacts, agents);
  const states: Record<string, TaskState | undefined> = {};
  for (const agent of agents) {
    const { tasks } = await rig.client(agent).list({ contextId: task.contextId, includeArtifacts: true });
    expect(tasks.length).toBeLessThanOrEqual(1);
    const own = tasks[0]?.artifacts?.find(({ name }) => name === "current_result");
    states[agent] = tasks[0]?.status.state;
    const forwarded = artifacts.filter((artifact) => isFrom(artifact, agent, own?.artifactId));
    for (const artifact of forwarded) expect(textOf(artifact)).toBe(own && textOf(own));
    if (agents.length > 1 && own) expect(forwarded).toHaveLength(1);
  }
  return { task, answer, states };
}

/** The pieces of these tasks in the supervisor's journal whose append does not fit; the supervisor must be down. */
export async function recordedViolations(folder: string, taskIds: readonly string[]): Promise<string[]> {
  const journal = await openSqliteJournal({ folder, projections: taskTables });
  const found: string[] = [];
  for (const taskId of taskIds) {
    const events = await journal.read(`task/${taskId}`, 0, 100_000);
    found.push(...appendViolations(events.map(({ payload }) => payload as never)));
  }
  await journal.close();
  return found;
}

/** One plan, and for each call one notification of its start and of its end, and all that came with it. */
function expectOnce(artifacts: readonly Artifact[], agents: readonly string[]): void {
  const count = (name: string) => artifacts.filter((artifact) => artifact.name === name).length;
  expect(count("execution_plan_update")).toBe(1);
  expect(count("execution_plan_streaming")).toBe(0);
  expect(count("tool_notification_start")).toBe(agents.length);
  expect(count("tool_notification_complete")).toBe(agents.length);
  expect(count("facts")).toBeLessThanOrEqual(agents.length);
  const state = artifacts.find(({ name }) => name === "execution_plan_state");
  expect(state ? wordsOf(state) : "").not.toMatch(/"state":"(pending|working|waiting)"/);
}

function isFrom({ metadata, name }: Artifact, agent: string, artifactId: string | undefined): boolean {
  const origin = memberIn(metadata, provenance).value;
  return name === "current_result" && origin?.agent === agent && origin.artifactId === artifactId;
}
