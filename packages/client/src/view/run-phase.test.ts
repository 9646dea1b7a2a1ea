import { expect, it } from "vitest";
import type { RunRecord, StreamingText } from "../sync/session-record.ts";
import { phaseOf } from "./run-phase.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const at = (seconds: number) => new Date(START + seconds * 1_000).toISOString();
const run = (change: Partial<RunRecord> = {}) =>
  ({ id: "r", status: "running", startedAt: at(0), texts: {}, toolCalls: [], ...change }) as RunRecord;
const text = (channel: StreamingText["channel"], words: string): StreamingText => ({
  channel,
  text: words,
  isOpen: true,
});
const seen = { now: START + 20_000, heardAt: START + 19_000, isCancelling: false };

it.each<[string, Partial<RunRecord>]>([
  ["starting", {}],
  ["planning", { texts: { p: text("plan", "⟦1.") } }],
  ["thinking", { plan: [] }],
  ["tool", { toolCalls: [{ id: "1", name: "evaluate", startedAt: at(3) }] }],
  ["writing", { texts: { a: text("answer", "The") } }],
  ["you", { status: "waiting" }],
  ["completed", { status: "completed", completedAt: at(2) }],
  ["failed", { status: "failed", reason: "no key" }],
  ["interrupted", { status: "failed", reason: "interrupted: the agent was removed" }],
  ["cancelled", { status: "cancelled", reason: "The user cancelled it" }],
])("is %s", (name, change) => {
  expect(phaseOf(run(change), seen).name).toBe(name);
});

it("names the agents that it waits for, and since when", () => {
  const ask = (agent: string, seconds: number) => ({ id: agent, name: agent, agent, startedAt: at(seconds) });
  const toolCalls = [ask("git", 6), ask("files", 8), { ...ask("argocd", 1), outcome: "succeeded" }];
  expect(phaseOf(run({ toolCalls }), seen)).toEqual({
    name: "agents",
    agents: ["git", "files"],
    since: START + 6_000,
  });
});

it("is stalled when nothing was heard for half a minute, and stopping when the user wants that", () => {
  const late = { ...seen, now: seen.heardAt + 30_001 };
  expect(phaseOf(run(), late)).toEqual({ name: "stalled", since: seen.heardAt });
  expect(phaseOf(run(), { ...late, isCancelling: true }).name).toBe("stopping");
});
