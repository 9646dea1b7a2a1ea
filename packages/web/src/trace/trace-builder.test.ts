import type { DomainEvent, DomainEventType, EventPayloads } from "@parley/client";
import { expect, it } from "vitest";
import { traceOf } from "./trace-builder.ts";

const START = Date.parse("2026-01-01T00:00:00.000Z");
let events: DomainEvent[] = [];

function told<Type extends DomainEventType>(
  at: number,
  type: Type,
  payload: Omit<EventPayloads[Type], "runId">,
): void {
  const index = events.length + 1;
  const timestamp = new Date(START + at).toISOString();
  const event = {
    id: `e${index}`,
    sessionId: "s",
    index,
    type,
    timestamp,
    payload: { runId: "r", ...payload },
  };
  events.push(event as unknown as DomainEvent);
}

function begin(): void {
  events = [];
  told(0, "agent_start", {
    ...{ agent: "supervisor", agentUrl: "u", contextId: "c", inputSnapshotHash: "h", messageId: "m" },
  });
}

const bars = (now = 10_000) =>
  traceOf(events, START + now)?.spans.map(
    ({ kind, name, depth, start, end, state }) =>
      `${" ".repeat(depth)}${kind} ${name} ${start - START}–${end - START} ${state}`,
  );

it("traceOf puts parallel agents below their steps, with their tools and the turns between (+9)", () => {
  begin();
  const step = (id: string, agent: string, state: "working" | "completed") => ({
    ...{ id, title: `Ask ${agent}`, agent, dependencies: [], state },
  });
  told(100, "agent_plan", { steps: [step("1", "argocd", "working"), step("2", "calculator", "working")] });
  told(100, "agent_tool_call", { callId: "x_1", tool: "argocd", agent: "argocd" });
  told(101, "agent_tool_call", { callId: "x_2", tool: "calculator", agent: "calculator" });
  const inner = (agent: string, parentCallId: string) => ({ callId: "x_1", agent, parentCallId });
  told(150, "agent_tool_call", { ...inner("argocd", "x_1"), tool: "version" });
  told(160, "agent_tool_call", { ...inner("calculator", "x_2"), tool: "evaluate" });
  told(200, "agent_tool_result", { ...inner("calculator", "x_2"), outcome: "failed" });
  told(260, "agent_tool_result", { ...inner("argocd", "x_1"), outcome: "succeeded" });
  told(300, "agent_tool_result", { callId: "x_2", agent: "calculator", outcome: "succeeded" });
  told(400, "agent_tool_result", { callId: "x_1", agent: "argocd", outcome: "succeeded" });
  told(400, "agent_plan", {
    steps: [step("1", "argocd", "completed"), step("2", "calculator", "completed")],
  });
  told(450, "agent_token_start", { artifactId: "a", channel: "answer" });
  told(460, "agent_token", { artifactId: "a", text: "It" });
  told(500, "agent_complete", {
    ...{ state: "completed", content: "It" },
    usage: { inputTokens: 10, outputTokens: 2, cost: { amount: 0.01, currency: "USD" } },
  });
  expect(bars()).toEqual([
    "run supervisor 0–500 succeeded",
    " turn 1 0–100 succeeded",
    " step Ask argocd 100–400 succeeded",
    "  agent argocd 100–400 succeeded",
    "   turn 1 100–150 succeeded",
    "   tool version 150–260 succeeded",
    "   turn 2 260–400 succeeded",
    " step Ask calculator 100–400 succeeded",
    "  agent calculator 101–300 succeeded",
    "   turn 1 101–160 succeeded",
    "   tool evaluate 160–200 failed",
    "   turn 2 200–300 succeeded",
    " turn 2 400–500 succeeded",
  ]);
  const trace = traceOf(events, START);
  expect((trace?.firstToken ?? 0) - START).toBe(460);
  expect(trace?.spent).toMatchObject({ inputTokens: 10, cost: { currency: "USD" } });
  const evaluate = trace?.spans.find(({ name }) => name === "evaluate");
  expect(evaluate?.events).toEqual([6, 7]);
  expect(trace?.spans[0]?.events).toHaveLength(events.length);
});

it("traceOf extends an active run to now, and ends open spans with the run", () => {
  begin();
  told(10, "agent_tool_call", { callId: "c", tool: "look" });
  expect(bars(90)).toEqual([
    "run supervisor 0–90 running",
    " turn 1 0–10 succeeded",
    " tool look 10–90 running",
  ]);
  told(100, "agent_cancelled", { content: "", reason: "Stopped" });
  expect(bars()).toEqual([
    "run supervisor 0–100 canceled",
    " turn 1 0–10 succeeded",
    " tool look 10–100 unknown",
  ]);
});

it("traceOf shows waits for a person, and omits a run with an unknown start", () => {
  begin();
  told(20, "approval_requested", { approvalId: "a", question: "May I?", tool: "sync" });
  told(5_000, "approval_answered", { approvalId: "a", decision: "denied" });
  expect(bars()?.[2]).toBe(" person sync 20–5000 canceled");
  expect(traceOf(events.slice(1), START)).toBeUndefined();
});
