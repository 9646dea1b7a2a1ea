import { expect, it } from "vitest";
import type { SessionEvent } from "../domain/session-event.ts";
import { emptySession, evolve } from "../domain/session-state.ts";
import { pendingInputs } from "./input-delivery.ts";
import { RunMemory } from "./run-memory.ts";

it("a message that answered a question is delivered once, not again as the answer (+7)", () => {
  const runId = "r";
  const question = { runId, approvalId: "a", question: "May I?" };
  const events: SessionEvent[] = [
    { type: "session_created", workspace: "w", owner: "o", title: "" },
    { type: "user_message", messageId: "m1", content: "do it" },
    {
      type: "agent_start",
      runId,
      agent: "x",
      agentUrl: "u",
      contextId: "c",
      inputSnapshotHash: "h",
      messageId: "m1",
    },
    { type: "approval_requested", ...question },
    { type: "user_message", messageId: "m2", content: "yes", runId },
    { type: "approval_answered", runId, approvalId: "a", decision: "answered", text: "yes" },
  ];
  const state = events.reduce(evolve, emptySession("s"));
  const memory = new RunMemory(runId);
  memory.note({ told: "m2", approvalId: "a" });
  expect(pendingInputs(state, runId, memory.told)).toEqual([]);
});
