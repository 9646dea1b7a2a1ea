import { describe, expect, it } from "vitest";
import type { DomainEvent } from "../api/domain-event.ts";
import { CopiedSlots } from "../testing/copied-slots.ts";
import { SmallRecord } from "../testing/small-record.ts";
import { reduce } from "./reduce.ts";
import { shownList, shownSession } from "./shown.ts";
import type { SyncEvent } from "./sync-event.ts";
import { INITIAL_STATE, type SyncState } from "./sync-state.ts";

/** A session in which so many runs have ended, and one is under way. */
function withRuns(runs: number): SmallRecord {
  const server = new SmallRecord();
  server.execute({ type: "create", sessionId: "s" }, "create");
  for (let at = 0; at <= runs; at++) {
    server.execute({ type: "send", sessionId: "s", messageId: `m${at}`, content: "Go on" }, `k${at}`);
    server.agentWorks("s", 3, at < runs);
  }
  return server;
}

/** A client that has the session open and up to date. */
function opened(server: SmallRecord): SyncState {
  const events: SyncEvent[] = [
    { type: "loaded", commands: [] },
    { type: "feedOpened", isResumed: false, places: {} },
    { type: "opened", sessionId: "s" },
  ];
  const state = events.reduce((before, event) => reduce(before, event).state, INITIAL_STATE);
  const freshness = state.open.s?.freshness;
  const request = freshness?.name === "reading" ? freshness.request : 0;
  const reading = server.reading("s", 0, Number.POSITIVE_INFINITY);
  return reduce(state, { type: "sessionRead", sessionId: "s", request, reading }).state;
}

/** What so many words cost, in slots that were copied, and how many effects they have. */
function words(before: SyncState, count: number) {
  let state = before;
  const copied = new CopiedSlots();
  copied.of(state);
  const record = state.open.s?.record;
  const runId = Object.keys(record?.active ?? {})[0] ?? "";
  let [slots, effects] = [0, 0];
  for (let at = 1; at <= count; at++) {
    const payload = { runId, artifactId: "a", text: "word " };
    const place = { id: "e", sessionId: "s", index: (record?.index ?? 0) + at, timestamp: "t" };
    const event: DomainEvent = { ...place, type: "agent_token", payload };
    const step = reduce(state, { type: "eventHeard", event });
    state = step.state;
    slots += copied.of(state);
    effects += step.effects.length;
  }
  return { state, slots, effects, text: state.open.s?.record.active[runId]?.texts.a?.text.length ?? 0 };
}

describe("the cost of a word that comes", () => {
  it("is the same however long the answer is: 500, 5,000 and 50,000 words cost in proportion (S4.12)", () => {
    const [some, more, most] = [500, 5_000, 50_000].map((count) => words(opened(withRuns(1)), count));
    expect(most?.text).toBeGreaterThan(250_000);
    expect(more?.slots).toBe((some?.slots ?? 0) * 10);
    expect(most?.slots).toBe((some?.slots ?? 0) * 100);
    expect(most?.effects).toBe((some?.effects ?? 0) * 100);
    expect((some?.slots ?? 0) / 500).toBeLessThan(80);
  });

  it("is the same however long the session is: after 1, 100 and 1,000 answers", () => {
    const costs = [1, 100, 1_000].map((runs) => words(opened(withRuns(runs)), 50).slots);
    expect(new Set(costs).size).toBe(1);
  });

  it("changes nothing of what is shown of the messages and of the list", () => {
    const before = opened(withRuns(3));
    const { state } = words(before, 10);
    expect(shownSession(before, "s")?.messages).toHaveLength(7);
    expect(shownSession(state, "s")?.messages).toBe(shownSession(before, "s")?.messages);
    expect(shownList(state)).toBe(shownList(before));
  });
});
