import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CommandRefusedError } from "../domain/session-command.ts";
import { activeRun } from "../domain/session-state.ts";
import { RunEndedError } from "../open-session.ts";
import { runStream } from "../session-streams.ts";
import { Sessions } from "../sessions.ts";
import { ann } from "./testing/facade-moves.ts";
import { openNodes, openRecord, type Record, type Storage } from "./testing/storages.ts";

const SESSIONS = 50;
const ROUNDS = 20;
const run = (runId: string) => ({ runId, agent: "a", agentUrl: "http://a", contextId: runId });

/** Without a start ahead for one or the other, on a quick storage the same side would win each time. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate();
}

/** Two that share nothing but the storage: nodes on Postgres, elsewhere two facades. */
async function rivals(storage: Storage): Promise<[Record, Record]> {
  if (storage === "Postgres") {
    const [first, second] = await openNodes(storage, 2);
    if (first && second) return [first, second];
  }
  const record = await openRecord(storage);
  return [record, { ...record, sessions: new Sessions(record.journal) }];
}

describe.each(["SQLite", "Postgres"] as const)("at once on %s", (storage) => {
  it("a cancel and a completion have one winner, 1,000 times, and answers, log and table agree (invariants 1, 8 and 12)", async () => {
    const [worker, person] = await rivals(storage);
    const wins = { cancelled: 0, completed: 0 };
    // In workspaces of their own: it is the session that they race for, not the workspace's list.
    const inside = (sessionId: string) => ({ owner: "ann", workspace: sessionId });
    const race = async (sessionId: string, runId: string) => {
      const ann = inside(sessionId);
      const { sessions, journal } = worker;
      const post = { type: "postMessage", messageId: `${runId}-m`, content: "x", run: run(runId) } as const;
      await sessions.execute(ann, sessionId, post);
      const lease = await journal.acquire(runStream(runId));
      const end = { type: "agent_complete", runId, state: "completed", content: "done" } as const;
      const [completed, cancelled] = await Promise.allSettled([
        turns(Math.floor(Math.random() * 3)).then(() =>
          sessions.session(sessionId).append(lease, runId, [end], [{ frame: "end" }]),
        ),
        person.sessions.execute(ann, sessionId, { type: "cancelRun", runId }),
      ]);
      await lease.release();
      if (completed.status === "rejected") expect(completed.reason).toBeInstanceOf(RunEndedError);
      if (cancelled.status === "rejected") expect(cancelled.reason).toMatchObject({ code: "conflict" });
      expect(completed.status).not.toBe(cancelled.status);
      const winner = completed.status === "fulfilled" ? "completed" : "cancelled";
      wins[winner]++;
      const state = await person.sessions.state(ann, sessionId);
      expect(state.runs.get(runId)?.status).toBe(winner);
      return { runId, winner };
    };
    const ids = Array.from({ length: SESSIONS }, (_, n) => `s${n}`);
    await Promise.all(
      ids.map(async (id) => {
        const ann = inside(id);
        await worker.sessions.execute(ann, id, { type: "create", ...ann });
        const outcomes = new Map<string, string>();
        for (let round = 0; round < ROUNDS; round++) {
          const { runId, winner } = await race(id, `${id}-r${round}`);
          outcomes.set(runId, winner);
        }
        const log = await worker.sessions.events(ann, id, 0, 10_000);
        const ends = log.flatMap(({ event }) => {
          if (event.type === "agent_complete") return [[event.runId, "completed"]];
          return event.type === "agent_cancelled" ? [[event.runId, "cancelled"]] : [];
        });
        expect(log.map(({ index }) => index)).toEqual(log.map((_, position) => position + 1));
        expect(ends).toEqual([...outcomes]);
        const rows = await worker.sessions.runs(ann, { sessionId: id, limit: ROUNDS });
        expect(new Map(rows.reverse().map(({ id: runId, status }) => [runId, status]))).toEqual(outcomes);
      }),
    );
    expect(wins.cancelled + wins.completed).toBe(SESSIONS * ROUNDS);
    expect(Math.min(wins.cancelled, wins.completed), "one side never won").toBeGreaterThan(0);
  }, 240_000);

  it("two edits of a message make two forks, and the run that they leave is cancelled once (S4.11)", async () => {
    const [first, second] = await rivals(storage);
    await first.sessions.execute(ann, "s", { type: "create", ...ann, title: "T" });
    await first.sessions.execute(ann, "s", {
      type: "postMessage",
      messageId: "m",
      content: "old",
      run: run("r"),
    });
    const edit = ({ sessions }: Record, name: string) =>
      sessions.execute(ann, "s", {
        ...{
          type: "edit",
          messageId: "m",
          content: `new ${name}`,
          fork: { childId: name },
          run: run(`r-${name}`),
        },
      });
    const made = await Promise.all([edit(first, "a"), edit(second, "b")]);
    expect(made.map(({ children: [child] }) => child?.messages.map(({ content }) => content))).toEqual([
      ["new a"],
      ["new b"],
    ]);
    const state = await second.sessions.state(ann, "s");
    expect(state.children.map(({ id }) => id).sort()).toEqual(["a", "b"]);
    expect(activeRun(state)).toBeUndefined();
    const log = await first.sessions.events(ann, "s", 0, 100);
    expect(log.filter(({ event }) => event.type === "agent_cancelled")).toHaveLength(1);
  });

  it("of two forks with one id one is made, and the other is refused", async () => {
    const [first, second] = await rivals(storage);
    await first.sessions.execute(ann, "s", { type: "create", ...ann });
    const fork = { type: "fork", at: { messages: 0 }, fork: { childId: "t" } } as const;
    const outcomes = await Promise.allSettled(
      [first, second].map(({ sessions }) => sessions.execute(ann, "s", fork)),
    );
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(refused).toEqual([expect.any(CommandRefusedError)]);
    expect(refused[0]).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("choose another"),
    });
    expect((await second.sessions.state(ann, "s")).children).toHaveLength(1);
  });

  it("50 repetitions of a command with one key, from two sides, have one effect and one answer (invariant 4)", async () => {
    const sides = await rivals(storage);
    const fifty = <Result>(act: (sessions: Sessions, number: number) => Promise<Result>) =>
      Promise.all(Array.from({ length: 50 }, (_, n) => act((sides[n % 2] ?? sides[0]).sessions, n)));
    const created = await fifty((sessions, n) =>
      sessions.execute(ann, `s${n}`, { type: "create", ...ann, title: "once" }, { key: "create" }),
    );
    const [id = ""] = new Set(created.map(({ state }) => state.id));
    expect(new Set(created.map(({ state }) => state.id)).size).toBe(1);
    expect(created.filter(({ repeated }) => !repeated)).toHaveLength(1);
    const posted = await fifty((sessions, n) =>
      sessions.execute(
        ann,
        id,
        { type: "postMessage", messageId: `m${n}`, content: "hello", run: run(`r${n}`) },
        { key: "post" },
      ),
    );
    expect(new Set(posted.map(({ state }) => JSON.stringify(state.messages))).size).toBe(1);
    expect(posted[0]?.state.messages).toHaveLength(1);
    expect(new Set(posted.map(({ state }) => activeRun(state)?.id)).size).toBe(1);
    const forked = await fifty((sessions, n) =>
      sessions.execute(
        ann,
        id,
        { type: "fork", at: { messages: 1 }, fork: { childId: `c${n}` } },
        { key: "fork" },
      ),
    );
    expect(new Set(forked.map(({ children: [child] }) => child?.id)).size).toBe(1);
    expect(forked.every(({ children: [child] }) => child?.messages.length === 1)).toBe(true);
    const { sessions: listed } = await sides[1].sessions.list(ann, { limit: 100 });
    expect(listed).toHaveLength(2);
  }, 180_000);
});
