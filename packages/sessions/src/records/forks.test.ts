import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionState } from "../domain/session-state.ts";
import { runStream } from "../session-streams.ts";
import { histories } from "../testing/random-moves.ts";
import { ann, playHistory } from "./testing/facade-moves.ts";
import { openRecord } from "./testing/storages.ts";

const HISTORIES = Number(process.env.PARLEY_HISTORIES ?? 12);
const said = ({ messages }: SessionState) => messages.map(({ id, role, content }) => ({ id, role, content }));

describe.each(["SQLite", "Postgres"] as const)("a fork on %s", (storage) => {
  it("begins with exactly the prefix of its parent, in trees of forks too (invariant 10, +3)", async () => {
    const record = await openRecord(storage);
    const { sessions } = record;
    let forks = 0;
    let number = 0;
    await fc.assert(
      fc.asyncProperty(histories(50), async (steps) => {
        const states = await playHistory(record, steps, `h${number++}`);
        for (const { id, parent } of states.values()) {
          if (!parent) continue;
          forks++;
          const past = await sessions.stateAt(ann, parent.sessionId, parent.eventIndex);
          const child = said(await sessions.state(ann, id));
          expect(child.slice(0, parent.messages)).toEqual(said(past).slice(0, parent.messages));
          const parents = said(await sessions.state(ann, parent.sessionId)).map((message) => message.id);
          // Where an edit made it, the edited message keeps its id.
          for (const own of child.slice(parent.messages + 1)) expect(parents).not.toContain(own.id);
        }
      }),
      { numRuns: HISTORIES * 2, endOnFailure: true },
    );
    expect(forks, "there were hardly any forks").toBeGreaterThan(HISTORIES / 4);
  }, 180_000);

  it("made in the middle of an answer, from any event, never gets what its parent says later (invariant 10, S4.17, +3)", async () => {
    const { sessions, journal } = await openRecord(storage);
    await sessions.execute(ann, "s", { type: "create", ...ann });
    const run = { runId: "r", agent: "a", agentUrl: "http://a", contextId: "r" };
    await sessions.execute(ann, "s", { type: "postMessage", messageId: "m1", content: "Question", run });
    const lease = await journal.acquire(runStream("r"));
    const parent = sessions.session("s");
    const token = (text: string) => ({ type: "agent_token", runId: "r", artifactId: "a", text }) as const;
    const forked: string[] = [];
    for (let piece = 0; piece < 20; piece++) {
      const childId = `s-${piece}`;
      const fork = { type: "fork", at: { eventIndex: 2 + piece }, fork: { childId } } as const;
      await Promise.all([
        parent.append(lease, "r", [token(`${piece}`)], [{ frame: piece }]),
        sessions.execute(ann, "s", fork).then(() => forked.push(childId)),
      ]);
    }
    const end = { type: "agent_complete", runId: "r", state: "completed" } as const;
    await parent.append(lease, "r", [{ ...end, messageId: "m2", content: "Answer" }], [{ frame: "end" }]);
    expect(said(await sessions.state(ann, "s")).map(({ content }) => content)).toEqual([
      "Question",
      "Answer",
    ]);
    expect(forked).toHaveLength(20);
    for (const id of forked) {
      const child = await sessions.state(ann, id);
      expect(said(child)).toEqual([{ id: "m1", role: "user", content: "Question" }]);
      expect(child.runs.size).toBe(0);
    }
  });
});
