import fc from "fast-check";
import { expect, it } from "vitest";
import { histories, type Move, moveOf } from "../testing/random-moves.ts";
import { decide } from "./decide.ts";
import { CommandRefusedError } from "./session-command.ts";
import { type SessionEvent, sessionEvent } from "./session-event.ts";
import { activeRun, emptySession, evolve, isEnded, type SessionState } from "./session-state.ts";

/** Sessions as their logs, and what was acknowledged to whoever wrote. */
class World {
  readonly logs = new Map<string, SessionEvent[]>();
  readonly states = new Map<string, SessionState>();
  readonly acknowledged: { sessionId: string; messageId: string }[] = [];
  refused = 0;

  make(move: Move): void {
    const state = this.states.get(move.sessionId) ?? emptySession(move.sessionId);
    try {
      if ("events" in move) {
        this.#add(state.id, move.events);
        return;
      }
      const { events, children = [] } = decide(state, move.command, (index) => this.at(state.id, index));
      this.#add(state.id, events);
      for (const child of children) this.#add(child.id, child.events);
      if (move.command.type === "postMessage")
        this.acknowledged.push({ sessionId: state.id, messageId: move.command.messageId });
    } catch (error) {
      if (!(error instanceof CommandRefusedError)) throw error;
      this.refused++;
    }
  }

  at(id: string, index: number): SessionState {
    return (this.logs.get(id) ?? []).slice(0, index).reduce(evolve, emptySession(id));
  }

  #add(id: string, events: readonly SessionEvent[]): void {
    const before = this.states.get(id) ?? emptySession(id);
    const after = events.reduce(evolve, before);
    this.logs.set(id, [...(this.logs.get(id) ?? []), ...events]);
    this.states.set(id, after);
    expectLawful(before, after);
  }
}

function expectLawful(before: SessionState, after: SessionState): void {
  for (const [id, run] of before.runs)
    if (isEnded(run)) expect(after.runs.get(id)?.status, "an end is taken back").toBe(run.status);
  expect([...after.runs.values()].filter((run) => !isEnded(run)).length).toBeLessThanOrEqual(1);
  expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
  expect(after.messages.map(({ index }) => index)).toEqual(after.messages.map((_, position) => position));
}

function play(steps: Parameters<typeof moveOf>[0][]): World {
  const world = new World();
  for (const [number, step] of steps.entries()) world.make(moveOf(step, world.states, String(number)));
  return world;
}

it("random histories: indices without a gap, messages that stay, ends that stay, and a replay that agrees (invariants 1, 3, 8 and 11)", () => {
  fc.assert(
    fc.property(histories(60), (steps) => {
      const world = play(steps);
      for (const [id, log] of world.logs) {
        const state = world.states.get(id);
        expect(state?.index).toBe(log.length);
        expect(log.reduce(evolve, emptySession(id))).toEqual(state);
      }
      for (const { sessionId, messageId } of world.acknowledged)
        expect(world.states.get(sessionId)?.messages.map(({ id }) => id)).toContain(messageId);
    }),
    { numRuns: 200 },
  );
});

it("random histories: a fork is exactly the prefix of its parent, and the parent says so (invariant 10, S4.11, +3)", () => {
  let forks = 0;
  fc.assert(
    fc.property(histories(60), (steps) => {
      const world = play(steps);
      for (const child of world.states.values()) {
        if (!child.parent) continue;
        forks++;
        const { sessionId, messages, eventIndex, reason } = child.parent;
        const past = world.at(sessionId, eventIndex);
        const told = ({ role, content, id }: (typeof child.messages)[number]) => ({ role, content, id });
        expect(child.messages.slice(0, messages).map(told)).toEqual(
          past.messages.slice(0, messages).map(told),
        );
        expect(world.states.get(sessionId)?.children).toContainEqual({ id: child.id, reason, messages });
        expect([child.owner, child.workspace]).toEqual([past.owner, past.workspace]);
        expect(past.owner).toBe("ann");
      }
    }),
    { numRuns: 200 },
  );
  expect(forks).toBeGreaterThan(100);
});

it("random histories: every event that a command leads to is one of the record's (S4.1–2)", () => {
  let refused = 0;
  fc.assert(
    fc.property(histories(40), (steps) => {
      const world = play(steps);
      refused += world.refused;
      for (const log of world.logs.values())
        for (const event of log) expect(sessionEvent.parse(event)).toEqual(event);
    }),
    { numRuns: 100 },
  );
  expect(refused).toBeGreaterThan(0);
});

const born = (...events: SessionEvent[]) =>
  [{ type: "session_created", owner: "ann", workspace: "w", title: "" } as SessionEvent, ...events].reduce(
    evolve,
    emptySession("s"),
  );
const fork = { childId: "child" };
const refusal = (act: () => unknown) => {
  try {
    act();
    return undefined;
  } catch (error) {
    return error instanceof CommandRefusedError ? error.code : error;
  }
};

it("a fork of a deleted session is refused, and at a place that is not there (S4.11)", () => {
  const deleted = born({ type: "session_deleted", until: "2026-07-01T00:00:00.000Z" });
  const at = (place: { messages: number } | { eventIndex: number }) => () =>
    decide(born(), { type: "fork", at: place, fork }, (index) => (index === 1 ? born() : emptySession("s")));
  expect(refusal(() => decide(deleted, { type: "fork", at: { messages: 0 }, fork }))).toBe("gone");
  for (const place of [
    { eventIndex: 0 },
    { eventIndex: 9 },
    { messages: 1 },
    { messages: -1 },
    { messages: 0.5 },
  ])
    expect(refusal(at(place)), JSON.stringify(place)).toBe("invalid");
  expect(refusal(at({ eventIndex: 1 }))).toBeUndefined();
});

it("deleting ends the run that is under way, and can be undone until its time is over (S4.1–2)", () => {
  const run = { runId: "r", agent: "a", agentUrl: "u", contextId: "c" };
  const running = decide(born(), { type: "postMessage", messageId: "m", content: "x", run }).events.reduce(
    evolve,
    born(),
  );
  const until = "2026-07-01T00:00:00.000Z";
  const gone = decide(running, { type: "delete", until }).events.reduce(evolve, running);
  expect(gone).toMatchObject({ status: "deleted", restorableUntil: until });
  expect(activeRun(gone)).toBeUndefined();
  const back = decide(gone, { type: "restore", now: "2026-06-30T00:00:00.000Z" }).events.reduce(evolve, gone);
  expect(back.status).toBe("active");
  expect(back).not.toHaveProperty("restorableUntil");
  expect(refusal(() => decide(gone, { type: "restore", now: "2026-07-02T00:00:00.000Z" }))).toBe("gone");
});

it("a message with an expected message count is refused once there are more", () => {
  const run = { runId: "r", agent: "a", agentUrl: "u", contextId: "c" };
  const post = { type: "postMessage", messageId: "m", content: "x", run, after: 0 } as const;
  const events = decide(born(), post).events;
  expect(events.map(({ type }) => type)).toEqual(["user_message", "agent_start"]);
  expect(refusal(() => decide(born(...events), { ...post, messageId: "n" }))).toBe("conflict");
});
