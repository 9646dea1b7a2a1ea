import type { SessionEvent } from "@parley/sessions";
import { expect, it } from "vitest";
import { Problem } from "../problem.ts";
import { CallEncoder } from "./call-encoder.ts";
import { callPlaceIn } from "./call-tokens.ts";
import type { McpClient } from "./mcp-caller.ts";

const RUN = { runId: "run_1" } as const;
const ANSWER = { ...RUN, artifactId: "a" } as const;

/** What a client is told of these events, one after the other, a second apart. */
function framesFor(
  events: readonly SessionEvent[],
  client: Partial<McpClient> = {},
  { seen = 10, left = "ended" as const, answered = [] as string[] } = {},
) {
  const place = {
    sessionId: "ses_1",
    runId: "run_1",
    after: 10,
    sent: seen,
    requestId: 7,
    progressToken: "t",
  };
  const encoder = new CallEncoder({
    ...{ place, page: "http://here/s/ses_1" },
    client: { version: "2025-11-25", elicits: false, ...client },
    isAnswered: (id) => answered.includes(id),
    questionMs: 60_000,
  });
  const frames = [
    encoder.begin(),
    ...events.map((event, n) => encoder.event({ index: 11 + n, at: 1_000 * n, event })),
    encoder.end(left),
  ];
  return frames
    .flatMap((text) => text.split("\n\n").filter(Boolean))
    .map((frame) => ({
      id: /^id: (.*)$/m.exec(frame)?.[1],
      message: JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] || "null"),
    }));
}

const begun: SessionEvent = { type: "agent_token_start", ...ANSWER, channel: "answer" };
const word = (text: string): SessionEvent => ({ type: "agent_token", ...ANSWER, text });
const complete = (content: string): SessionEvent => ({
  ...{ type: "agent_complete", ...RUN, state: "completed", content },
});
const asked: SessionEvent = {
  ...{ type: "approval_requested", ...RUN, approvalId: "apr_1", question: "May I?", tool: "sync" },
  arguments: { name: "checkout" },
};

it("CallEncoder returns the completed answer, also after text was taken back", () => {
  const last = framesFor([
    begun,
    word("One two"),
    { ...begun, restart: true },
    word("Three"),
    complete("Three"),
  ]).at(-1);
  expect(last?.message).toMatchObject({
    id: 7,
    result: { structuredContent: { answer: "Three", state: "completed" } },
  });
  expect(last?.message.result.content[0]).toEqual({ type: "text", text: "Three" });
});

it("CallEncoder reports progress with increasing numbers, without text that was taken back", () => {
  const steps = (state: "working" | "completed"): SessionEvent => ({
    ...{ type: "agent_plan", ...RUN },
    steps: [
      { id: "1", title: "A", dependencies: [], state },
      { id: "2", title: "B", dependencies: [], state: "working" },
    ],
  });
  const call = { ...RUN, callId: "c", agent: "argocd" } as const;
  const progress = framesFor([
    steps("working"),
    { type: "agent_tool_call", ...call, tool: "argocd" },
    steps("completed"),
    { type: "agent_tool_result", ...call, outcome: "succeeded" },
    begun,
    word("Hel"),
    word("lo you"),
    { ...begun, restart: true },
    word("Bye"),
    complete("Bye"),
  ]).flatMap(({ message }) => (message?.method === "notifications/progress" ? [message.params] : []));
  expect(progress.map(({ message }) => message)).toEqual([
    "0 of 2 steps done",
    "0 of 2 steps done · asks argocd",
    "1 of 2 steps done · asks argocd",
    "1 of 2 steps done",
    "1 of 2 steps done · 1 word so far",
    "1 of 2 steps done · 2 words so far",
    "1 of 2 steps done",
    "1 of 2 steps done · 1 word so far",
  ]);
  const numbers = progress.map((one) => one.progress);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one: number, other: number) => one - other));
});

it("CallEncoder resumes at any place with exactly the remaining frames", () => {
  const events = [begun, word("a "), word("b "), asked, word("c"), complete("a b c")];
  const whole = framesFor(events, { elicits: true });
  for (const { id } of whole.filter((frame) => frame.id)) {
    const { sent: seen } = callPlaceIn(id ?? "") ?? { sent: 0 };
    const after = whole.slice(whole.findIndex((frame) => frame.id === id) + 1);
    expect(framesFor(events, { elicits: true }, { seen }).slice(1)).toEqual(after);
  }
});

it("CallEncoder asks the client's user once where it can, and never again after an answer", () => {
  const questions = (client: Partial<McpClient>, more = {}) =>
    framesFor([asked, complete("Done")], client, more).filter(
      ({ message }) => message?.method === "elicitation/create",
    );
  expect(questions({ elicits: true })[0]?.message.params).toMatchObject({
    ...{ mode: "form", message: expect.stringContaining("checkout") },
    requestedSchema: { required: ["decision"] },
  });
  expect(questions({ elicits: true }, { answered: ["apr_1"] })).toEqual([]);
  expect(questions({ elicits: false })).toEqual([]);
  expect(questions({ elicits: true, version: "2026-07-28" })).toEqual([]);
});

it("CallEncoder withdraws a question that somebody else has answered, or that the run ended without", () => {
  const answered: SessionEvent = {
    type: "approval_answered",
    ...RUN,
    approvalId: "apr_1",
    decision: "approved",
  };
  const put = (events: readonly SessionEvent[], more = {}) =>
    framesFor([...events, complete("Done")], { elicits: true }, more).filter(
      ({ message }) => message?.method === "notifications/cancelled",
    );
  const [question] = framesFor([asked], { elicits: true }).filter(
    ({ message }) => message?.params?.mode === "form",
  );
  for (const events of [[asked, answered], [asked]])
    expect(put(events).map(({ message }) => message.params.requestId)).toEqual([question?.message.id]);
  expect(put([asked, answered], { answered: ["apr_1"] })).toEqual([]);
});

it("CallEncoder ends with the question in the stateless revision, and with how to answer it where the client cannot ask", () => {
  const newest = framesFor(
    [asked],
    { elicits: true, version: "2026-07-28" },
    { left: "waiting" as never },
  ).at(-1);
  expect(newest?.message.result).toMatchObject({
    ...{ resultType: "input_required", requestState: expect.any(String) },
    inputRequests: { apr_1: { method: "elicitation/create" } },
  });
  const unable = framesFor([asked], {}, { left: "waiting" as never }).at(-1)?.message.result;
  expect(unable.structuredContent).toMatchObject({ state: "waiting", approvals: [{ approval: "apr_1" }] });
  expect(unable.content[0].text).toContain("answer_approval");
});

it("CallEncoder reports a failure with the text before it and the artifacts", () => {
  const made: SessionEvent = {
    ...{ type: "agent_artifact", ...RUN, artifactId: "picture", name: "p.png" },
    parts: [{ raw: "AAAA", mediaType: "image/png" }, { data: { a: 1 } }, { url: "https://x.example/" }],
  };
  const failed = { ...complete("Half"), state: "failed", reason: "the model is away" } as SessionEvent;
  const { result } = framesFor([made, failed]).at(-1)?.message ?? {};
  expect(result.isError).toBe(true);
  expect(
    result.content.map(({ type, text = "" }: { type: string; text?: string }) => [type, text.slice(0, 9)]),
  ).toEqual([
    ["text", "Half"],
    ["text", "It failed"],
    ["image", ""],
    ["resource", ""],
    ["resource_link", ""],
    ["resource_link", ""],
  ]);
});

it("CallEncoder sends no answer on shutdown to clients that reconnect, and an error to the others", () => {
  const place = { sessionId: "s", runId: "r", after: 0, sent: 0, requestId: 1 };
  const ends = (version: string) => {
    const client = { version, elicits: false };
    const encoder = new CallEncoder({ place, page: "", client, isAnswered: () => false, questionMs: 1 });
    encoder.begin();
    return encoder.broken(new Problem("unavailable", "Node is shutting down; retry"));
  };
  expect(ends("2025-11-25")).toBe("");
  for (const version of ["2025-06-18", "2026-07-28"])
    expect(ends(version)).toMatch(/"error".*await_answer, session s"/);
});
