import { describe, expect, it } from "vitest";
import { runStream } from "../../session-streams.ts";
import { ann } from "../testing/facade-moves.ts";
import { openRecord, STORAGES } from "../testing/storages.ts";

const NONE = { ended: 0, failed: 0, cancelled: 0 };

describe.each(STORAGES)("agent statistics on %s", (storage) => {
  it("sum up outcomes, times, tokens and cost as runs and delegations end (S4.25, S4.30)", async () => {
    const { sessions, journal } = await openRecord(storage);
    await sessions.execute(ann, "s", { type: "create", ...ann });
    const begin = async (runId: string, agent: string) => {
      const run = { runId, agent, agentUrl: "http://a", contextId: runId };
      await sessions.execute(ann, "s", { type: "postMessage", messageId: `${runId}-m`, content: "?", run });
      const lease = await journal.acquire(runStream(runId));
      return (events: Parameters<ReturnType<typeof sessions.session>["append"]>[2]) =>
        sessions.session("s").append(lease, runId, events, [{ frame: 1 }]);
    };
    const usage = { inputTokens: 10, outputTokens: 5, cost: { amount: 0.25, currency: "USD" } };
    const first = await begin("r1", "supervisor");
    const call = { type: "agent_tool_call", runId: "r1", arguments: {} } as const;
    const result = { type: "agent_tool_result", runId: "r1" } as const;
    await first([
      { ...call, callId: "c1", tool: "tides", agent: "tides" },
      { ...call, callId: "c2", tool: "lookup", agent: "tides" },
      { ...result, callId: "c2", outcome: "failed", agent: "tides", durationMs: 7 },
      { ...result, callId: "c1", outcome: "succeeded", agent: "tides", durationMs: 300 },
      // Told twice is counted once.
      { ...result, callId: "c1", outcome: "succeeded", agent: "tides", durationMs: 300 },
      { type: "agent_token_start", runId: "r1", artifactId: "a", channel: "answer" },
      { type: "agent_token", runId: "r1", artifactId: "a", text: "At noon" },
    ]);
    await first([{ type: "agent_complete", runId: "r1", state: "completed", content: "At noon", usage }]);
    const second = await begin("r2", "supervisor");
    await second([{ type: "agent_complete", runId: "r2", state: "failed", content: "", reason: "!", usage }]);
    const third = await begin("r3", "tides");
    // Who stood in is who did it.
    await third([
      { type: "agent_complete", runId: "r3", state: "completed", content: "Yes", agent: "harbour" },
    ]);
    await begin("r4", "tides");
    await sessions.execute(ann, "s", { type: "cancelRun", runId: "r4" });
    await begin("r5", "tides");
    const figures = await sessions.statistics(ann);
    expect(figures).toMatchObject([
      { agent: "harbour", runs: { ended: 1, failed: 0 }, delegations: NONE, cost: [] },
      {
        ...{ agent: "supervisor", runs: { ended: 2, failed: 1, cancelled: 0 }, delegations: NONE },
        ...{ inputTokens: 20, outputTokens: 10, cost: [{ amount: 0.5, currency: "USD" }] },
      },
      {
        ...{ agent: "tides", runs: { ended: 1, failed: 0, cancelled: 1 }, inputTokens: 0 },
        delegations: { ended: 1, failed: 0, cancelled: 0, meanMs: 300, longestMs: 300 },
      },
    ]);
    const { meanMs = -1, longestMs = -1, meanFirstTokenMs = -1 } = figures[1]?.runs ?? {};
    expect([meanMs, longestMs - meanMs, meanFirstTokenMs].every((value) => value >= 0)).toBe(true);
    expect(figures[2]?.runs).not.toHaveProperty("meanFirstTokenMs");
    expect(await sessions.statistics({ ...ann, owner: "bob" })).toEqual([]);
  });

  it("do not count imported sessions", async () => {
    const { sessions } = await openRecord(storage);
    const run = { runId: "r", agent: "a", agentUrl: "http://a", contextId: "c", messageId: "m" };
    await sessions.adopt(ann, "s", [
      { type: "session_created", ...ann, title: "" },
      { type: "user_message", messageId: "m", content: "?" },
      { type: "agent_start", ...run, inputSnapshotHash: "h" },
      { type: "agent_complete", runId: "r", state: "completed", content: "Yes" },
    ]);
    expect(await sessions.runs(ann, { limit: 5 })).toHaveLength(1);
    expect(await sessions.statistics(ann)).toEqual([]);
  });
});
