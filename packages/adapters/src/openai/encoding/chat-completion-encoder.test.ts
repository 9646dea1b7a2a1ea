import {
  type EventOf,
  emptySession,
  evolve,
  type RecordedSessionEvent,
  type SessionEvent,
} from "@parley/sessions";
import { expect, it } from "vitest";
import { questionText } from "../conversation/text-questions.ts";
import { ChatCompletionEncoder, type Wanted } from "./chat-completion-encoder.ts";
import type { RunPart } from "./run-part.ts";

const runId = "run_1";
const BEGUN: readonly SessionEvent[] = [
  { type: "session_created", workspace: "w", owner: "o", title: "" },
  { type: "user_message", messageId: "m", content: "Hi" },
  {
    ...{ type: "agent_start", runId, agent: "tides", agentUrl: "http://a", contextId: "c" },
    ...{ messageId: "m", inputSnapshotHash: "h" },
  },
];
const start = (
  artifactId: string,
  channel: "answer" | "thinking" = "answer",
  restart = false,
): SessionEvent => ({
  ...{ type: "agent_token_start", runId, artifactId, channel, ...(restart && { restart }) },
});
const say = (artifactId: string, text: string): SessionEvent => ({
  type: "agent_token",
  runId,
  artifactId,
  text,
});
const complete = (content: string, more: Partial<EventOf<"agent_complete">> = {}): SessionEvent => ({
  ...{ type: "agent_complete", runId, state: "completed", content, ...more },
});
const asks: EventOf<"approval_requested"> = {
  ...{ type: "approval_requested", runId, approvalId: "q", question: "May I?", tool: "rm" },
};

/** Tells a run whose first events were there when somebody came, and the others not. */
function told(
  events: readonly SessionEvent[],
  { known = 0, wanted = {}, base = "" }: { known?: number; wanted?: Partial<Wanted>; base?: string } = {},
) {
  const state = [...BEGUN, ...events.slice(0, known)].reduce(evolve, emptySession("s"));
  const run = state.runs.get(runId);
  if (!run) throw new Error("no run");
  const part: RunPart = {
    ...{ state, run, part: base === "" ? 0 : 1, after: 3, createdAt: 7, base },
    ...{ before: new Map(), texts: run.texts },
  };
  const encoder = new ChatCompletionEncoder(part, { reasoning: false, toolCalls: false, ...wanted });
  const recorded = events.map((event, place): RecordedSessionEvent => ({ index: place + 4, at: 0, event }));
  const hasEnded = events.some(({ type }) => type === "agent_complete" || type === "agent_cancelled");
  const deltas = [
    ...encoder.begin(),
    ...recorded.flatMap((each) => encoder.event(each)),
    ...encoder.end(hasEnded ? "ended" : "waiting"),
  ];
  return { deltas, text: deltas.map(({ content = "" }) => content).join(""), ending: encoder.ending };
}

const EVENTS = [
  start("t", "thinking"),
  say("t", "hm"),
  start("a"),
  say("a", "Hel"),
  say("a", "lo"),
  complete("Hello"),
];

it("ChatCompletionEncoder sends the answer, however much of it exists when the client connects", () => {
  for (const [known] of [...EVENTS, undefined].entries()) expect(told(EVENTS, { known }).text).toBe("Hello");
});

it("ChatCompletionEncoder sends reasoning and tool calls only where the client wants them", () => {
  const call: SessionEvent = { type: "agent_tool_call", runId, callId: "c", agent: "git", tool: "log" };
  const events = [...EVENTS.slice(0, 2), call, ...EVENTS.slice(2)];
  expect(told(events).deltas).toEqual([{ content: "Hel" }, { content: "lo" }]);
  const { deltas } = told(events, { wanted: { reasoning: true, toolCalls: true } });
  expect(deltas[0]).toEqual({ reasoning_content: "hm" });
  expect(deltas[1]?.tool_calls?.[0]?.function).toEqual({ name: "git.log", arguments: "{}" });
  expect(told(events, { known: 4, wanted: { reasoning: true } }).deltas[0]).toEqual({
    reasoning_content: "hm",
  });
});

it("ChatCompletionEncoder omits text that was taken back earlier, and reports a change of sent text as an error", () => {
  const events = [start("a"), say("a", "High"), start("a", "answer", true), say("a", "Low"), complete("Low")];
  expect(told(events, { known: 4 })).toMatchObject({ text: "Low", ending: { kind: "complete" } });
  expect(told(events)).toMatchObject({ text: "High", ending: { kind: "changed" } });
  const same = [...events.slice(0, 3), say("a", "High water"), complete("High water")];
  expect(told(same)).toMatchObject({ text: "High water", ending: { kind: "complete" } });
});

it("ChatCompletionEncoder sends a question after the text before it, and the rest after the answer", () => {
  const before = [start("a"), say("a", "I look"), asks];
  expect(told(before).text).toBe(`I look${questionText(asks)}`);
  expect(told([...before, say("a", "ed")]).text).toBe(`I look${questionText(asks)}`);
  const answered: SessionEvent = { type: "approval_answered", runId, approvalId: "q", decision: "approved" };
  const whole = [...before, answered, say("a", "ed"), complete("I looked")];
  expect(told(whole, { known: 4, base: "I look" }).text).toBe("ed");
  expect(told(whole, { known: 4 }).text).toBe("I looked");
});

it("a failed run reports why after its text, and a cancelled run ends with its text", () => {
  const failed = told([start("a"), say("a", "Half"), complete("Half", { state: "failed", reason: "Fire" })]);
  expect(failed).toMatchObject({ text: "Half", ending: { kind: "failed", reason: "Fire" } });
  const cancelled: SessionEvent = { type: "agent_cancelled", runId, content: "Half", reason: "x" };
  expect(told([start("a"), say("a", "Half"), cancelled])).toMatchObject({
    text: "Half",
    ending: { kind: "complete" },
  });
});

it("at a question all text before it is sent, or the change is reported", () => {
  const two = [start("a"), say("a", "One "), start("b"), say("b", "two"), asks];
  expect(told(two).text).toBe(`One two${questionText(asks)}`);
  const changed = [start("a"), say("a", "High"), start("a", "answer", true), say("a", "Low"), asks];
  expect(told(changed)).toMatchObject({ text: "High", ending: { kind: "changed" } });
  expect(told(changed, { known: 4 })).toMatchObject({
    text: `Low${questionText(asks)}`,
    ending: { kind: "complete" },
  });
});
