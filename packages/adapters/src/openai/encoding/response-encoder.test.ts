import { emptySession, evolve, type RecordedSessionEvent, type SessionEvent } from "@parley/sessions";
import { expect, it } from "vitest";
import { ResponseEncoder } from "./response-encoder.ts";
import type { ResponseSettings } from "./response-object.ts";
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
const say = (artifactId: string, text: string): SessionEvent => ({
  type: "agent_token",
  runId,
  artifactId,
  text,
});
const start = (artifactId: string, channel: "answer" | "thinking" | "branch" = "answer"): SessionEvent => ({
  ...{ type: "agent_token_start", runId, artifactId, channel },
});
const restart = (artifactId: string): SessionEvent => ({
  ...{ type: "agent_token_start", runId, artifactId, channel: "answer", restart: true },
});
const end = (artifactId: string): SessionEvent => ({ type: "agent_token_end", runId, artifactId });
const complete = (content: string): SessionEvent => ({
  type: "agent_complete",
  runId,
  state: "completed",
  content,
});
const asks: SessionEvent = {
  ...{
    type: "approval_requested",
    runId,
    approvalId: "q1",
    question: "May I?",
    tool: "rm",
    arguments: { path: "a" },
  },
};

function partOf(change: Partial<RunPart> = {}): RunPart {
  const state = BEGUN.reduce(evolve, emptySession("s"));
  const run = state.runs.get(runId);
  if (!run) throw new Error("no run");
  return {
    ...{ state, run, part: 0, after: 3, createdAt: 7, base: "" },
    ...{ before: new Map(), texts: new Map(), ...change },
  };
}

interface Frame {
  readonly type: string;
  readonly sequence_number: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect
  readonly [name: string]: any;
}

function framesOf(text: string): Frame[] {
  return text
    .split("\n\n")
    .filter(Boolean)
    .map((frame) => {
      const [event = "", data = ""] = frame.split("\n");
      const body = JSON.parse(data.slice("data: ".length));
      expect(event).toBe(`event: ${body.type}`);
      return body;
    });
}

function told(
  events: readonly SessionEvent[],
  { part = partOf(), after = -1, settings = {} as ResponseSettings } = {},
) {
  const encoder = new ResponseEncoder(part, settings, after);
  let text = encoder.begin();
  for (const [place, event] of events.entries()) {
    const recorded: RecordedSessionEvent = { index: part.after + place + 1, at: 9_000, event };
    text += encoder.event(recorded);
  }
  text += encoder.end(events.some(({ type }) => /complete|cancelled/.test(type)) ? "ended" : "waiting");
  return { frames: framesOf(text), encoder, response: encoder.response };
}

const textOf = ({ output }: ResponseEncoder["response"]) =>
  output
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .map(({ text }) => text)
    .join("");

it("an answer is a message: added, sent in deltas, done, with consecutive numbers", () => {
  const { frames, response } = told([
    start("a"),
    say("a", "Hel"),
    say("a", "lo"),
    end("a"),
    complete("Hello"),
  ]);
  expect(frames.map(({ type }) => type.replace("response.", ""))).toEqual([
    ...["created", "in_progress", "output_item.added", "content_part.added", "output_text.delta"],
    ...["output_text.delta", "output_text.done", "content_part.done", "output_item.done", "completed"],
  ]);
  expect(frames.map(({ sequence_number }) => sequence_number)).toEqual(frames.map((_, place) => place));
  expect(frames.at(-1)?.response).toEqual(JSON.parse(JSON.stringify(response)));
  expect([response.id, response.status, textOf(response)]).toEqual(["resp_run_1", "completed", "Hello"]);
});

it("a client that has some frames gets the remaining ones unchanged", () => {
  const events = [start("a"), say("a", "Hel"), say("a", "lo"), complete("Hello")];
  const all = told(events).frames;
  for (const [place] of all.entries())
    expect(told(events, { after: place }).frames).toEqual(all.slice(place + 1));
});

it("calls and reasoning are items of their own, and other agents' texts are none", () => {
  const call = { runId, callId: "c1", agent: "git" };
  const { frames, response } = told([
    ...[start("t", "thinking"), say("t", "hm"), end("t"), start("b", "branch"), say("b", "aside")],
    { type: "agent_tool_call", ...call, tool: "log", arguments: { n: 1 } },
    { type: "agent_tool_result", ...call, outcome: "succeeded", text: "3 commits" },
    { type: "agent_tool_call", ...call, callId: "c2", tool: "push" },
    { type: "agent_tool_result", ...call, callId: "c2", outcome: "failed", text: "no" },
    ...[start("a"), say("a", "Done"), complete("Done")],
  ]);
  expect(response.output).toMatchObject([
    { type: "reasoning", content: [{ type: "reasoning_text", text: "hm" }] },
    {
      type: "mcp_call",
      server_label: "git",
      name: "log",
      arguments: '{"n":1}',
      output: "3 commits",
      error: null,
    },
    { type: "mcp_call", name: "push", status: "failed", error: "no" },
    { type: "message", status: "completed" },
  ]);
  const types = frames.map(({ type }) => type);
  for (const type of [
    "reasoning_text.delta",
    "mcp_call_arguments.done",
    "mcp_call.completed",
    "mcp_call.failed",
  ])
    expect(types).toContain(`response.${type}`);
});

it("reasoning is sent as summaries where the client wants them, with the same numbers", () => {
  const events = [
    start("t", "thinking"),
    say("t", "h"),
    say("t", "m"),
    end("t"),
    say("a", "Done"),
    complete("Done"),
  ];
  const { frames, response } = told(events, { settings: { summary: true } });
  expect(response.output[0]).toMatchObject({
    summary: [{ type: "summary_text", text: "hm" }],
    status: "completed",
  });
  expect(frames.slice(2, 9).map(({ type }) => type.replace("response.", ""))).toEqual([
    ...["output_item.added", "reasoning_summary_part.added"],
    ...["reasoning_summary_text.delta", "reasoning_summary_text.delta", "reasoning_summary_text.done"],
    ...["reasoning_summary_part.done", "output_item.done"],
  ]);
  expect(frames[4]).toMatchObject({ summary_index: 0, delta: "h" });
  expect(told(events).frames).toHaveLength(frames.length);
});

it("a response ends at a question that is not always allowed, and the rest is the next part", () => {
  const answered: SessionEvent = { type: "approval_answered", runId, approvalId: "q1", decision: "approved" };
  const { response, frames } = told([
    start("a"),
    say("a", "I look"),
    asks,
    answered,
    say("a", "ed"),
    complete("I looked"),
  ]);
  expect(response).toMatchObject({
    status: "completed",
    output: [
      { type: "message" },
      { type: "mcp_approval_request", id: "mcpr_run_1~q1", name: "rm", arguments: '{"path":"a"}' },
    ],
  });
  expect(frames.at(-1)?.type).toBe("response.completed");
  expect(told([asks]).response.output).toHaveLength(1);
  const always: SessionEvent = { ...answered, always: true };
  expect(told([asks, always, say("a", "x"), complete("x")]).response.output).toMatchObject([
    { type: "message" },
  ]);
  const part = partOf({
    part: 1,
    base: "I look",
    before: new Map([["a", { channel: "answer", text: "I look" }]]),
  });
  const next = told([answered, say("a", "ed"), complete("I looked")], { part });
  expect([next.response.id, textOf(next.response)]).toEqual(["resp_run_1.1", "ed"]);
});

it("at a question the messages have all text until then, in the session's order", () => {
  const events = [
    start("a"),
    say("a", "x"),
    end("a"),
    start("b"),
    say("b", "two"),
    restart("a"),
    say("a", "One "),
    asks,
  ];
  expect(textOf(told(events).response)).toBe("One two");
  const { response } = told([...events.slice(0, -1), complete("One two")]);
  expect(textOf(response)).toBe("One two");
});

it("a failed or cancelled run reports that, with its text", () => {
  const failed: SessionEvent = {
    ...(complete("Half") as object),
    state: "failed",
    reason: "Fire",
  } as SessionEvent;
  const { frames, response } = told([start("a"), say("a", "Half"), failed]);
  expect(frames.at(-1)?.type).toBe("response.failed");
  expect(response).toMatchObject({ status: "failed", error: { code: "server_error", message: "Fire" } });
  const cancelled = told([say("a", "Ha"), { type: "agent_cancelled", runId, content: "Ha", reason: "x" }]);
  expect([cancelled.response.status, textOf(cancelled.response)]).toEqual(["cancelled", "Ha"]);
});

it("the text of all messages is the final answer, whatever was taken back, in whichever order it came", () => {
  expect(
    textOf(told([start("a"), say("a", "High"), restart("a"), say("a", "Low"), complete("Low")]).response),
  ).toBe("Low");
  for (let seed = 1; seed <= 100; seed++) {
    let state = seed;
    const pick = <Value>(...values: readonly Value[]) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return values[(state >>> 8) % values.length] as Value;
    };
    const texts = new Map<string, string>();
    const events: SessionEvent[] = [];
    for (let step = 0; step < 20; step++) {
      const id = pick("a", "b", "c");
      const kind = texts.has(id) ? pick("say", "say", "restart", "end") : "start";
      if (kind === "say") texts.set(id, `${texts.get(id)}${step} `);
      else if (kind !== "end") texts.set(id, "");
      events.push(
        kind === "say"
          ? say(id, `${step} `)
          : kind === "end"
            ? end(id)
            : kind === "start"
              ? start(id)
              : restart(id),
      );
    }
    const content = [...texts.values()].join("");
    const { response, frames } = told([...events, complete(content)]);
    expect([seed, textOf(response)]).toEqual([seed, content]);
    expect(frames.map(({ sequence_number }) => sequence_number)).toEqual(frames.map((_, place) => place));
  }
});
