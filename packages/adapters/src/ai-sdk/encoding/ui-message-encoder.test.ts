import type { SessionEvent } from "@parley/sessions";
import { expect, it } from "vitest";
import { Problem } from "../../problem.ts";
import { UiMessageEncoder } from "./ui-message-encoder.ts";

const run = { runId: "r1" };
const answer = { ...run, artifactId: "a" };
const told = { sessionId: "s", ...run, agent: "supervisor", messageId: "r1-answer" };
const said = (text: string): SessionEvent => ({ type: "agent_token", ...answer, text });
const begun = (restart = false): SessionEvent => {
  return { type: "agent_token_start", ...answer, channel: "answer", ...(restart && { restart }) };
};
const complete = (content: string, more = run): SessionEvent => {
  return { type: "agent_complete", ...more, state: "completed", content };
};
const call: SessionEvent = { type: "agent_tool_call", ...run, callId: "c1", tool: "git", arguments: {} };
const asked: SessionEvent = {
  ...{ type: "approval_requested", ...run, approvalId: "r1-ask-1", question: "May I?" },
  ...{ tool: "write", arguments: { path: "x" } },
};

const recorded = (events: readonly SessionEvent[]) =>
  events.map((event, at) => ({ index: at + 1, at: 0, event }));

function chunksIn(frames: string) {
  return frames
    .split("\n\n")
    .flatMap((frame) => (frame.startsWith("data: {") ? [JSON.parse(frame.slice(6))] : []));
}

const typesOf = (frames: string) => chunksIn(frames).map(({ type }) => type);

function framesOf(encoder: UiMessageEncoder, events: readonly SessionEvent[]): string {
  return recorded(events)
    .map((event) => encoder.event(event))
    .join("");
}

it("text is taken back by resetting the step, whose other parts are sent again first", () => {
  const encoder = new UiMessageEncoder(told);
  framesOf(encoder, [begun(), said("Wrong"), call]);
  const frames = framesOf(encoder, [begun(true), said("Right")]);
  expect(typesOf(frames)).toEqual([
    ...["reset-step", "tool-input-available", "start-step", "text-start", "text-delta"],
  ]);
  expect(chunksIn(encoder.end("ended")).at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
});

it("a waiting run ends with a step that holds only the answer and the open questions", () => {
  const encoder = new UiMessageEncoder(told);
  framesOf(encoder, [call, begun(), said("So far"), asked]);
  const types = typesOf(encoder.end("waiting"));
  expect(types.slice(types.indexOf("start-step"))).toEqual([
    ...[
      "start-step",
      "text-start",
      "text-delta",
      "tool-input-available",
      "tool-approval-request",
      "text-end",
    ],
    ...["finish-step", "finish"],
  ]);
});

it.each([
  ["names its agent", { ...asked, agent: "git" }],
  ["names none", asked],
])(
  "a continued message repeats nothing, and an approved call is the part of its question that %s",
  (_, question) => {
    const encoder = new UiMessageEncoder(told);
    encoder.restore(recorded([begun(), said("So far"), question]));
    expect(typesOf(encoder.begin())).toEqual(["start"]);
    const frames = framesOf(encoder, [
      { type: "approval_answered", ...run, approvalId: "r1-ask-1", decision: "approved" },
      { type: "agent_tool_call", ...run, callId: "c2", tool: "write", arguments: { path: "x" } },
      { type: "agent_tool_result", ...run, callId: "c2", outcome: "succeeded", result: "done" },
      said(" and on"),
      complete("So far and on"),
    ]);
    expect(typesOf(frames)).toEqual([
      ...["tool-approval-response", "tool-output-available", "text-start", "text-delta"],
    ]);
    expect(chunksIn(frames)[1]).toMatchObject({ toolCallId: "r1-ask-1", output: "done" });
    expect(typesOf(encoder.end("ended"))).toEqual(["text-end", "finish-step", "finish"]);
  },
);

it("a tool call's id is unique in the chat, although agents number their calls from one in each run", () => {
  const idIn = (runId: string) => {
    const encoder = new UiMessageEncoder({ ...told, runId, messageId: `${runId}-answer` });
    const inner = { callId: "c2", parentCallId: "c1", agent: "git" };
    const frames = framesOf(encoder, [
      { ...call, runId },
      { ...call, runId, ...inner },
    ]);
    const [outer, within] = chunksIn(frames).filter(({ type }) => type === "tool-input-available");
    expect(within.toolMetadata).toEqual({ agent: "git", parentCallId: outer.toolCallId });
    return outer.toolCallId;
  };
  expect(idIn("r1")).not.toBe(idIn("r2"));
});

it("the run that answers a late message replaces the answer of the run before", () => {
  const encoder = new UiMessageEncoder({ ...told, messageId: "r1-answer-m2", asked: "m2" });
  const next = { runId: "r1-then" };
  const frames = framesOf(encoder, [
    ...[begun(), said("First"), complete("First")],
    {
      type: "agent_start",
      ...next,
      agent: "a",
      agentUrl: "u",
      contextId: "c",
      inputSnapshotHash: "h",
      messageId: "m2",
    },
    { type: "agent_token", ...next, artifactId: "b", text: "Second" },
    complete("Second", next),
  ]);
  expect(typesOf(frames).filter((type) => type === "reset-step")).toHaveLength(1);
  const last = chunksIn(encoder.end("ended")).at(-1);
  expect(last).toMatchObject({ type: "finish", messageMetadata: { run: "r1-then", status: "completed" } });
});

it("a broken stream ends with an error, so that it does not pass for a complete answer", () => {
  const encoder = new UiMessageEncoder(told);
  const frames = encoder.broken(new Problem("unavailable", "Node is shutting down; retry"));
  expect(chunksIn(frames)).toEqual([{ type: "error", errorText: "Node is shutting down; retry" }]);
  expect(frames).toMatch(/data: \[DONE\]\n\n$/);
});
