import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { OpenSession, RunEndedError } from "../open-session.ts";
import { runStream } from "../session-streams.ts";
import { endingOf } from "./run-ending.ts";
import { forgetFrames } from "./run-retention.ts";
import { RunRunner } from "./run-runner.ts";
import { DirectAgents } from "./testing/direct-agents.ts";
import { openJournal, startAgent, startGateway } from "./testing/gateway.ts";
import { JournalSessions } from "./testing/journal-sessions.ts";

describe.each(["memory", "SQLite", "Postgres"] as const)("on %s", (storage) => {
  it("invariant 12: of a cancel and a completion at the same time exactly one is recorded, and the other is told so", async () => {
    const journal = await openJournal(storage);
    const sessions = new JournalSessions(journal);
    const wins = { completed: 0, cancelled: 0 };
    for (let race = 0; race < 100; race++) {
      const id = `s${race}`;
      const runId = await sessions.ask(id, "Race", { name: "a", url: "http://a.test" });
      const lease = await journal.acquire(runStream(runId));
      // Two nodes, each with a session of its own.
      const [mine, theirs] = [new OpenSession(journal, id), new OpenSession(journal, id)];
      const end = async () => {
        for (let turn = 0; turn < race % 6; turn++) await setImmediate();
        return mine.append(
          lease,
          runId,
          (state) => endingOf(state, { runId, state: "completed", heard: new Set() }),
          [{ ended: "completed" }],
        );
      };
      const cancel = () => theirs.carryOut({ type: "cancelRun", runId });
      await Promise.all([mine.current(), theirs.current()]);
      const [ended, cancelled] = await Promise.allSettled([end(), cancel()]);
      const events = await sessions.events(id);
      const ends = events.filter(({ type }) => type === "agent_complete" || type === "agent_cancelled");
      expect(ends).toHaveLength(1);
      const isCompleted = ends[0]?.type === "agent_complete";
      wins[isCompleted ? "completed" : "cancelled"]++;
      expect([ended?.status, cancelled?.status]).toEqual(
        isCompleted ? ["fulfilled", "rejected"] : ["rejected", "fulfilled"],
      );
      if (ended?.status === "rejected") expect(ended.reason).toBeInstanceOf(RunEndedError);
    }
    expect(wins.completed).toBeGreaterThan(0);
    expect(wins.cancelled).toBeGreaterThan(0);
    await journal.close();
  }, 180_000);

  it("the frames of a run are removed some time after its end, and its session stays (S4.9)", async () => {
    const agent = await startAgent({
      executor: { execute: async () => ({ state: "completed", message: "Hi" }) },
    });
    const { sessions, journal, runner } = await startGateway({ storage });
    const runId = await sessions.ask("s1", "Hello", agent);
    await sessions.ended("s1", runId);
    await runner.idle();
    expect(await forgetFrames(journal)).toBe(0);
    expect(await journal.head(runStream(runId))).toBeGreaterThan(0);
    expect(await forgetFrames(journal, Date.now() + 1)).toBe(1);
    await expect(journal.head(runStream(runId))).rejects.toThrow();
    expect(await forgetFrames(journal, Date.now() + 1)).toBe(0);
    expect((await sessions.session("s1").current()).messages.at(-1)?.content).toBe("Hi");
  });
});

it("a run that is cancelled while it waits and nobody works on it is cancelled at its agent too (invariant 12)", async () => {
  const agent = await startAgent({
    executor: { execute: async () => ({ state: "input-required", message: "Which?" }) },
  });
  const { sessions, runner } = await startGateway({ limits: { cancelMs: 30_000 } });
  const waiting = await sessions.ask("s1", "Ask me", agent);
  await sessions.until("s1", ({ approvals }) => approvals.size > 0);
  await runner.idle();
  await sessions.execute("s1", { type: "cancelRun", runId: waiting });
  await runner.idle();
  const [task] = await tasksOf(agent.url, waiting);
  expect(task).toMatchObject({ status: { state: "TASK_STATE_CANCELED" } });
  const state = await sessions.session("s1").current();
  expect(state.runs.get(waiting)?.status).toBe("cancelled");
});

async function tasksOf(url: string, contextId: string): Promise<readonly unknown[]> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ListTasks", params: { contextId } });
  const headers = { "content-type": "application/json", "a2a-version": "1.0" };
  const answer = await fetch(url, { method: "POST", headers, body });
  return ((await answer.json()) as { result: { tasks: unknown[] } }).result.tasks;
}

it("a gateway waits for no turn for runs that another one carries out (invariant 6)", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const agent = await startAgent({
    executor: { execute: () => gate.then(() => ({ state: "completed", message: "Hi" })) },
  });
  const taken = Promise.withResolvers<void>();
  const { sessions, journal } = await startGateway({ observer: { taken: () => taken.resolve() } });
  const runId = await sessions.ask("s1", "Hello", agent);
  await taken.promise;
  const counts = { looks: 0, turns: 0 };
  const other = new RunRunner({
    ...{ journal, agents: new DirectAgents(), sweepMs: 10 },
    queue: {
      onCommitted: () => () => {},
      open: () => {
        counts.looks++;
        return sessions.open();
      },
    },
    session: (id) => sessions.session(id),
    turns: {
      enter: async () => {
        counts.turns++;
        return { [Symbol.dispose]() {} };
      },
    },
  });
  await other.start();
  await expect.poll(() => counts.looks).toBeGreaterThan(3);
  await other.stop();
  open();
  await sessions.ended("s1", runId);
  expect(counts.turns).toBe(0);
});

it("two gateways on one journal carry each run out once (invariant 6)", async () => {
  let executions = 0;
  const agent = await startAgent({
    executor: {
      async execute(context) {
        executions++;
        await sleep(20, undefined, { signal: context.signal });
        await context.artifact().close([{ text: "Once" }]);
        return undefined;
      },
    },
  });
  const { sessions, journal } = await startGateway({});
  const other = await startGateway({ journal });
  const ids = Array.from({ length: 10 }, (_, at) => `s${at}`);
  const runs = await Promise.all(
    ids.map((id, at) => (at % 2 ? sessions : other.sessions).ask(id, "Go", agent)),
  );
  const states = await Promise.all(ids.map((id, at) => sessions.ended(id, runs[at] ?? "")));
  expect(states.map(({ messages }) => messages.at(-1)?.content)).toEqual(ids.map(() => "Once"));
  expect(executions).toBe(10);
});
