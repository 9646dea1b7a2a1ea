import { cpuGrowth } from "@parley/testing/cpu-growth.ts";
import { describe, expect, it } from "vitest";
import { forkAt } from "./fork-session.ts";
import type { SessionEvent } from "./session-event.ts";
import { emptySession, evolve, evolveAll } from "./session-state.ts";

const created: SessionEvent = { type: "session_created", workspace: "w", owner: "o", title: "" };
const about = { agent: "a", agentUrl: "u", contextId: "c", inputSnapshotHash: "h", messageId: "m" };
const start = (runId: string): SessionEvent => ({ type: "agent_start", runId, ...about });

/** So many of a kind of event, as one session may have them. */
const KINDS: Readonly<Record<string, (at: number) => readonly SessionEvent[]>> = {
  messages: (at) => [{ type: "user_message", messageId: `m${at}`, content: "Hi" }],
  "open approvals": (at) => [
    { type: "approval_requested", runId: "r", approvalId: `a${at}`, question: "May I?" },
  ],
  "answered approvals": (at) => [
    { type: "approval_requested", runId: "r", approvalId: `a${at}`, question: "May I?" },
    { type: "approval_answered", runId: "r", approvalId: `a${at}`, decision: "approved" },
  ],
  artifacts: (at) => [{ type: "agent_artifact", runId: "r", artifactId: `a${at}`, parts: [] }],
  texts: (at) => [{ type: "agent_token", runId: "r", artifactId: `a${at}`, text: "Hi" }],
  runs: (at) => [
    start(`r${at}`),
    { type: "agent_complete", runId: `r${at}`, state: "completed", messageId: `n${at}`, content: "Hi" },
  ],
  forks: (at) => [{ type: "session_forked", childId: `c${at}`, reason: "branch", messages: 0 }],
};

const eventsOf = (kind: string, count: number) => [
  created,
  start("r"),
  ...Array.from({ length: count }, (_, at) => KINDS[kind]?.(at) ?? []).flat(),
];

describe("evolve", () => {
  // Lists are copied, which is a block copy in memory; everything else has to cost the same for each event.
  it.each(["answered approvals", "open approvals", "artifacts", "texts"])(
    "costs the same for one more event, however many %s there are",
    async (kind) => {
      const all = new Map([1_000, 10_000].map((count) => [count, eventsOf(kind, count)]));
      const fold = (count: number) => (all.get(count) ?? []).reduce(evolve, emptySession("s"));
      expect(await cpuGrowth(fold, 1_000)).toBeLessThan(40);
    },
  );
});

describe("evolveAll", () => {
  it.each(Object.keys(KINDS))("costs the same for each event, however many %s there are", async (kind) => {
    const all = new Map([2_000, 20_000].map((count) => [count, eventsOf(kind, count)]));
    const fold = (count: number) => evolveAll(emptySession("s"), all.get(count) ?? []);
    expect(await cpuGrowth(fold, 2_000)).toBeLessThan(40);
  });

  it("does not change its input, and reaches the same state as single steps", () => {
    const events = Object.values(KINDS).flatMap((kind) => [1, 2, 1].flatMap((at) => kind(at)));
    const before = evolveAll(emptySession("s"), [created, start("r"), ...events.slice(0, 12)]);
    const after = evolveAll(before, events.slice(12));
    expect(before).toEqual(evolveAll(emptySession("s"), [created, start("r"), ...events.slice(0, 12)]));
    expect(after).toEqual(events.slice(12).reduce(evolve, before));
  });

  it("copies the files of a run only once in a fork", () => {
    const answers = Array.from({ length: 50 }, (_, at): SessionEvent => {
      return { type: "agent_message", messageId: `m${at}`, runId: "r", content: "Hi" };
    });
    const files = Array.from({ length: 20 }, (_, at): SessionEvent => {
      return { type: "agent_artifact", runId: "r", artifactId: `a${at}`, parts: [{ text: "x" }] };
    });
    const state = evolveAll(emptySession("s"), [created, ...answers, ...files]);
    const { children = [] } = forkAt(state, { type: "fork", at: "end", fork: { childId: "f" } }, () => state);
    expect(children[0]?.events.filter(({ type }) => type === "agent_artifact")).toHaveLength(20);
  });
});
