import type { DomainEvent, EventPayloads } from "@parley/client";
import { describe, expect, it } from "vitest";
import { RecordedConversation } from "./recorded-conversation.ts";

type Told = {
  [Type in keyof EventPayloads]: readonly [Type, Omit<EventPayloads[Type], "runId">];
}[keyof EventPayloads];

/** The recording of a supervisor run with these events. */
function recorded(...told: readonly Told[]) {
  const begins = {
    agent: "supervisor",
    agentUrl: "",
    contextId: "r",
    inputSnapshotHash: "h",
    messageId: "m",
  };
  const all: readonly Told[] = [
    ["user_message", { messageId: "m", content: "go" }],
    ["agent_start", begins],
    ...told,
    ["agent_complete", { state: "completed", content: "done" }],
  ];
  const conversation = new RecordedConversation();
  for (const [at, [type, payload]] of all.entries()) {
    const runId = type === "user_message" ? {} : { runId: "r" };
    const about = { id: String(at), sessionId: "s", index: at + 1, timestamp: "" };
    conversation.accept({ ...about, type, payload: { ...payload, ...runId } } as DomainEvent);
  }
  const [turn] = conversation.turns();
  return turn?.calls;
}

const asks = (callId: string, agent: string): Told => [
  "agent_tool_call",
  { callId, tool: agent, agent, arguments: { request: `do ${callId}` } },
];
const ends = (callId: string, agent: string): Told => [
  "agent_tool_result",
  { callId, agent, outcome: "succeeded" },
];
const answer = (restart = false): Told => [
  "agent_token_start",
  { artifactId: "answer", channel: "answer", restart },
];
const says = (text: string, artifactId = "answer"): Told => ["agent_token", { artifactId, text }];

describe("RecordedConversation (+10)", () => {
  it("separates the supervisor's own text from that of the agent that answers", () => {
    const told = [
      answer(),
      says("I ask. "),
      asks("1", "sky"),
      says("Rai"),
      says("ny."),
      ends("1", "sky"),
      says(" Bye."),
    ];
    expect(recorded(...told)).toMatchObject([
      { agent: "sky", does: [{ says: "Rainy." }], state: "completed" },
    ]);
  });

  it("discards retracted text, and attributes no earlier text to an agent", () => {
    const anew = [answer(true), says("I ask. "), says("Sunny.")];
    expect(
      recorded(answer(), says("I ask. "), asks("1", "sky"), says("Rai"), ...anew, ends("1", "sky")),
    ).toMatchObject([{ does: [{ says: "Sunny." }] }]);
  });

  it("distinguishes parallel calls from sequential ones", () => {
    const calls = recorded(
      ...[asks("1", "sky"), asks("2", "sea"), ends("2", "sea"), ends("1", "sky")],
      ...[asks("3", "sky"), ends("3", "sky")],
    );
    expect(calls?.map(({ agent, round }) => [agent, round])).toEqual([
      ["sky", 1],
      ["sea", 1],
      ["sky", 2],
    ]);
  });

  it("records each agent that failed and was replaced, and why", () => {
    const instead = "↪️ Agent Sky failed: It is dark.\nVery.\nAgent Sea is asked instead.";
    const status: Told = ["agent_status", { state: "working", text: instead }];
    const branch: Told = [
      "agent_token_start",
      { artifactId: "b", channel: "branch", agent: "sea", parentCallId: "1" },
    ];
    expect(
      recorded(asks("1", "sky"), status, asks("1", "sea"), branch, says("Wet.", "b"), ends("1", "sea")),
    ).toEqual([
      { agent: "sky", round: 1, request: "do 1", does: [], state: "failed", reason: "It is dark.\nVery." },
      { agent: "sea", round: 2, request: "do 1", does: [{ says: "Wet." }], state: "completed" },
    ]);
  });
});
