import { cpuGrowth } from "@parley/testing/cpu-growth.ts";
import { describe, expect, it } from "vitest";
import type { DomainEvent } from "../api/domain-event.ts";
import { evolveRecord, recordFold } from "./evolve-record.ts";
import { emptyRecord, type SessionRecord } from "./session-record.ts";

type Told = { readonly type: string; readonly payload: object };

const start = (runId: string): Told => ({
  type: "agent_start",
  payload: { runId, agent: "a", agentUrl: "u", contextId: "c", inputSnapshotHash: "h", messageId: "m" },
});
const of = (type: string, payload: object): Told => ({ type, payload: { runId: "r", ...payload } });

/** So many of a kind of event, as one session may have them. */
const KINDS: Readonly<Record<string, (at: number) => readonly Told[]>> = {
  messages: (at) => [{ type: "user_message", payload: { messageId: `m${at}`, content: "Hi" } }],
  approvals: (at) => [
    of("approval_requested", { approvalId: `a${at}`, question: "May I?" }),
    of("approval_answered", { approvalId: `a${at}`, decision: "approved" }),
  ],
  calls: (at) => [
    of("agent_tool_call", { callId: `c${at}`, tool: "t" }),
    of("agent_tool_result", { callId: `c${at}`, outcome: "succeeded" }),
  ],
  artifacts: (at) => [of("agent_artifact", { artifactId: `a${at}`, parts: [] })],
  texts: (at) => [of("agent_token", { artifactId: `a${at}`, text: "Hi" })],
  runs: (at) => [
    start(`r${at}`),
    of("agent_complete", { runId: `r${at}`, state: "completed", messageId: `n${at}`, content: "Hi" }),
  ],
};

function events(told: readonly Told[]): DomainEvent[] {
  return told.map((event, at) => {
    return { ...event, id: `e${at}`, sessionId: "s", index: at + 1, timestamp: "t" } as DomainEvent;
  });
}

function folded(record: SessionRecord, all: readonly DomainEvent[]): SessionRecord {
  const evolve = recordFold();
  return all.reduce((before, event) => evolve(before, event), record);
}

describe("recordFold", () => {
  it.each(Object.keys(KINDS))("costs the same for each event, however many %s there are", async (kind) => {
    const all = (count: number) =>
      events([start("r"), ...Array.from({ length: count }, (_, at) => KINDS[kind]?.(at) ?? []).flat()]);
    const known = new Map([1_000, 10_000].map((count) => [count, all(count)]));
    const fold = (count: number) => folded(emptyRecord("s"), known.get(count) ?? []);
    expect(await cpuGrowth(fold, 1_000)).toBeLessThan(40);
  });

  it("leaves the record that it began with as it was, and comes to what single steps come to", () => {
    const names = [1, 2, 1, "__proto__" as unknown as number];
    const all = events([start("r"), ...Object.values(KINDS).flatMap((kind) => names.flatMap(kind))]);
    for (const at of [0, 5, 11, 20]) {
      const before = folded(emptyRecord("s"), all.slice(0, at));
      const kept = structuredClone(before);
      const after = folded(before, all.slice(at));
      expect(before).toEqual(kept);
      expect(after).toEqual(all.slice(at).reduce((record, event) => evolveRecord(record, event), before));
    }
  });
});
