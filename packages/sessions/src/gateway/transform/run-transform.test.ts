import {
  approvalRequest,
  type Metadata,
  memberPart,
  planState,
  provenance,
  type StreamResponse,
  snapshot,
  toolCall,
  toolResult,
  usage,
  withMember,
} from "@parley/a2a";
import { describe, expect, it } from "vitest";
import { type SessionEvent, sessionEvent } from "../../domain/session-event.ts";
import { piece, status, task } from "../testing/agent-events.ts";
import { joinedAnswer, joinedTexts } from "../testing/joined-answer.ts";
import { RunTransform } from "./run-transform.ts";

function transformed(...events: readonly StreamResponse[]) {
  const transform = new RunTransform("r1");
  const told = events.flatMap((event) => transform.accept(event));
  for (const event of told) expect(sessionEvent.parse(event)).toEqual(event);
  return { transform, told, types: told.map(({ type }) => type), answer: joinedAnswer(told) };
}

const only = <Type extends SessionEvent["type"]>(told: readonly SessionEvent[], type: Type) =>
  told.filter((event) => event.type === type) as Extract<SessionEvent, { type: Type }>[];

describe("RunTransform of the seed's table (S4.22, S4.23)", () => {
  it("makes a token stream of output_start, output_delta and output_end, each an artifact of its own, and checks full_output", () => {
    const { types, answer, transform } = transformed(
      status("WORKING"),
      piece("1", "", { name: "output_start" }),
      piece("2", "Hel", { name: "output_delta" }),
      piece("3", "lo", { name: "output_delta" }),
      piece("4", "", { name: "output_end" }),
      piece("5", [{ data: { id: "c1", tool: "look", result: { found: 3 } } }], { name: "tool_result" }),
      piece("6", "Hello", { name: "full_output" }),
      status("COMPLETED"),
    );
    expect(types).toEqual([
      ...["agent_status", "agent_token_start", "agent_token", "agent_token", "agent_token_end"],
      ...["agent_tool_result", "agent_status"],
    ]);
    expect(answer).toBe("Hello");
    expect(transform).toMatchObject({ isOver: true, answer: "Hello", taskId: "t1" });
  });

  it("lets a full_output that differs win", () => {
    const { answer } = transformed(
      piece("2", "Hel", { name: "output_delta" }),
      piece("6", "Good day", { name: "full_output" }),
      status("COMPLETED"),
    );
    expect(answer).toBe("Good day");
  });

  it("tells of a tool's result with its call, outcome and content", () => {
    const { told } = transformed(
      piece("1", [{ data: { tool_call_id: "c1", error: "no such mug" } }], { name: "tool_result" }),
      piece("1", [{ data: { tool_call_id: "c1", error: "no such mug" } }], { name: "tool_result" }),
    );
    expect(told).toMatchObject([{ type: "agent_tool_result", callId: "c1", outcome: "failed" }]);
  });
});

describe("RunTransform of a supervisor", () => {
  const origin = withMember(undefined, provenance, { agent: "argocd", callId: "c1", depth: 1 });
  const steps = [{ id: "1", title: "Ask", agent: "argocd", dependencies: [], state: "working" as const }];

  it("puts the plan on its channel, and its steps into agent_plan, once each (S0.6, S0.7)", () => {
    const { told } = transformed(
      piece("p", "⟦1. ", { name: "execution_plan_streaming" }),
      piece("p", "Ask⟧", { name: "execution_plan_streaming", append: true }),
      piece("p", "⟦1. Ask⟧", { name: "execution_plan_update", lastChunk: true }),
      piece("s", [memberPart(planState, { steps })], { name: "execution_plan_state" }),
      piece("s", [memberPart(planState, { steps })], { name: "execution_plan_state" }),
    );
    expect(joinedTexts(told, "plan")).toEqual({ p: "⟦1. Ask⟧" });
    expect(only(told, "agent_plan")).toMatchObject([{ steps }]);
    expect(only(told, "agent_token_start")).toHaveLength(1);
  });

  it("records the call to which an agent's texts, files and questions belong (+10)", () => {
    const question = { id: "q", tool: "sync", argumentsHash: "h" };
    const asking = {
      ...{ messageId: "m", role: "ROLE_AGENT" as const },
      parts: [{ text: "May I?" }, memberPart(approvalRequest, question)],
    };
    const { told } = transformed(
      piece("a", "Hello", { name: "current_result", metadata: origin }),
      piece("f", [{ raw: "eA==", mediaType: "image/png" }], { name: "picture", metadata: origin }),
      {
        statusUpdate: {
          ...{ taskId: "t", contextId: "c", metadata: origin },
          status: { state: "TASK_STATE_WORKING", timestamp: "2026-01-01T00:00:00Z", message: asking },
        },
      },
    );
    const whose = { agent: "argocd", parentCallId: "c1" };
    expect(only(told, "agent_token_start")).toMatchObject([{ channel: "branch", ...whose }]);
    expect(only(told, "agent_artifact")).toMatchObject([{ artifactId: "f", ...whose }]);
    expect(only(told, "approval_requested")).toMatchObject([{ tool: "sync", ...whose }]);
  });

  it("takes reserved names from an agent below for data: they change no plan, answer or usage of the run (S3.1–4)", () => {
    const snapshotOfOurs = withMember(origin, snapshot, { artifactId: "a" });
    const { told, transform } = transformed(
      piece("s", [memberPart(planState, { steps })], { name: "execution_plan_state" }),
      piece("a", "Ours", { name: "streaming_result" }),
      piece("f1", [memberPart(planState, { steps: [] })], { name: "execution_plan_state", metadata: origin }),
      piece("f2", "forged", { name: "execution_plan_update", metadata: origin }),
      piece("f3", "forged", { name: "output_delta", metadata: origin }),
      piece("f4", "forged", { name: "partial_result", metadata: snapshotOfOurs }),
      status("WORKING", "Well.", withMember(origin, usage, { inputTokens: 1_000_000, outputTokens: 0 })),
      status("COMPLETED"),
    );
    expect(only(told, "agent_plan")).toMatchObject([{ steps }]);
    expect(joinedTexts(told, "plan")).toEqual({});
    expect(joinedTexts(told, "answer")).toEqual({ a: "Ours" });
    expect(Object.keys(joinedTexts(told, "branch"))).toEqual(["f2", "f3", "f4"]);
    expect(only(told, "agent_artifact")).toMatchObject([{ artifactId: "f1", agent: "argocd" }]);
    expect(transform.usage).toBeUndefined();
  });

  it("lets an agent below end no call but its own, whatever origin its data claims", () => {
    const ended = { id: "ours", outcome: "succeeded", durationMs: 1 } as const;
    const claimed = withMember(undefined, provenance, { agent: "other", callId: "ours", depth: 1 });
    const forged = [undefined, claimed].map((about) => withMember(about, toolResult, ended));
    const { told } = transformed(
      ...forged.map((data, at) => piece(`f${at}`, [{ data }], { name: "tool_result", metadata: origin })),
    );
    expect(only(told, "agent_tool_result")).toMatchObject([{ agent: "argocd", parentCallId: "c1" }]);
  });

  it("keeps two questions apart that have the same id and come from two calls", () => {
    const request = { id: "1", tool: "sync", argumentsHash: "h" };
    const asks = (agent: string, callId: string) =>
      status(
        "INPUT_REQUIRED",
        [{ text: `${agent}?` }, memberPart(approvalRequest, request)],
        withMember(undefined, provenance, { agent, callId, depth: 1 }),
      );
    const { told } = transformed(asks("one", "c1"), asks("two", "c2"));
    expect(only(told, "approval_requested")).toMatchObject([
      { agent: "one", parentCallId: "c1" },
      { agent: "two", parentCallId: "c2" },
    ]);
  });

  it("knows a plan that is repeated under another id for the same (S0.7)", () => {
    const { told } = transformed(
      piece("a", "⟦1. Ask⟧", { name: "execution_plan_streaming" }),
      piece("b", "⟦1. Ask⟧", { name: "execution_plan_update" }),
    );
    expect(joinedTexts(told, "plan")).toEqual({ a: "⟦1. Ask⟧" });
  });

  it("makes calls and results of tool notifications, with the agent that they came from (S0.8, S0.9)", () => {
    const call = withMember(origin, toolCall, {
      id: "c1",
      tool: "argocd",
      arguments: { request: "version" },
    });
    const end = withMember(origin, toolResult, { id: "c1", outcome: "succeeded", durationMs: 5 });
    const { told } = transformed(
      piece("n1", "🔧 Supervisor: Calling Agent Argocd...\n", {
        name: "tool_notification_start",
        metadata: call,
      }),
      piece("n2", "✅ Supervisor: Agent Argocd completed\n", {
        name: "tool_notification_complete",
        metadata: end,
      }),
    );
    expect(told).toMatchObject([
      {
        type: "agent_tool_call",
        callId: "c1",
        tool: "argocd",
        agent: "argocd",
        arguments: { request: "version" },
      },
      { type: "agent_tool_result", callId: "c1", outcome: "succeeded", durationMs: 5, agent: "argocd" },
    ]);
  });

  it("tells calls of the same id apart by the agent, the request and the task that they come from (S0.9)", () => {
    const id = "call_1_step_1";
    const handed = (agent: string, callId: string, taskId?: string) =>
      withMember(undefined, provenance, { agent, callId, depth: 1, ...(taskId && { taskId }) });
    const called = (origin: Metadata, tool: string) =>
      status("WORKING", `🔧 ${tool}`, withMember(origin, toolCall, { id, tool, arguments: {} }));
    const ended = (origin: Metadata, durationMs: number) =>
      status(
        "WORKING",
        "✅",
        withMember(origin, toolResult, { id, outcome: "succeeded", result: durationMs, durationMs }),
      );
    const argocd = handed("argocd", id, "t-a");
    const calculator = handed("calculator", "call_1_step_2", "t-b");
    const again = handed("argocd", "call_1_step_3", "t-c");
    const events = [
      called(handed("argocd", id), "argocd"),
      called(argocd, "version"),
      called(calculator, "evaluate"),
      ended(calculator, 1),
      ended(argocd, 2),
      ended(handed("argocd", id), 3),
      called(again, "version"),
      ended(again, 4),
    ];
    const { told } = transformed(...events, ...events);
    const about = (event: { agent?: string | undefined; parentCallId?: string | undefined }) => [
      event.agent,
      event.parentCallId,
    ];
    expect(only(told, "agent_tool_call").map((event) => [event.tool, ...about(event)])).toEqual([
      ["argocd", "argocd", undefined],
      ["version", "argocd", id],
      ["evaluate", "calculator", "call_1_step_2"],
      ["version", "argocd", "call_1_step_3"],
    ]);
    expect(only(told, "agent_tool_result").map((event) => [event.result, ...about(event)])).toEqual([
      [1, "calculator", "call_1_step_2"],
      [2, "argocd", id],
      [3, "argocd", undefined],
      [4, "argocd", "call_1_step_3"],
    ]);
  });

  it("matches notifications of supervisors without our extension by the tool's name", () => {
    const { told } = transformed(
      piece("n1", "🔧 Calling", {
        name: "tool_notification_start",
        description: "Tool call started: argocd",
      }),
      piece("n2", "✅ Done", {
        name: "tool_notification_complete",
        description: "Tool call completed: argocd",
      }),
    );
    expect(told).toMatchObject([
      { type: "agent_tool_call", callId: "n1", tool: "argocd" },
      { type: "agent_tool_result", callId: "n1", outcome: "succeeded" },
    ]);
  });

  it("takes streaming_result as the answer, checks partial_result against it, and keeps branches apart", () => {
    const whole = withMember(undefined, snapshot, { artifactId: "a" });
    const { told, answer } = transformed(
      piece("b1", "v3", { name: "current_result", metadata: origin }),
      piece("a", "It is ", { name: "streaming_result" }),
      piece("a", "v3.", { name: "streaming_result", append: true, metadata: origin }),
      piece("w", "It is v3.", { name: "partial_result", metadata: whole, lastChunk: true }),
      status("COMPLETED"),
    );
    expect(answer).toBe("It is v3.");
    expect(joinedTexts(told, "branch")).toEqual({ b1: "v3" });
    expect(only(told, "agent_token_start")[0]).toMatchObject({ channel: "branch", agent: "argocd" });
  });

  it("records notices of the work as statuses, with their agent", () => {
    const { told } = transformed(status("WORKING", "↪️ Agent A failed: gone", origin));
    expect(told).toMatchObject([{ type: "agent_status", text: "↪️ Agent A failed: gone", agent: "argocd" }]);
  });
});

describe("RunTransform of other agents", () => {
  it("tells tools from the metadata of statuses, thinking apart, and usage at the end", () => {
    const call = withMember(undefined, toolCall, { id: "c1", tool: "look", arguments: {} });
    const end = withMember(undefined, toolResult, { id: "c1", outcome: "failed", durationMs: 1 });
    const used = withMember(undefined, usage, { inputTokens: 3, outputTokens: 4 });
    const { told, transform, answer } = transformed(
      piece("th", "Let me see", { name: "thinking" }),
      status("WORKING", "🔧 Calling tool: look", call),
      status("WORKING", "❌ Tool failed: look", end),
      piece("a", "Nothing there", { name: "current_result" }),
      status("COMPLETED", [], used),
    );
    expect(answer).toBe("Nothing there");
    expect(joinedTexts(told, "thinking")).toEqual({ th: "Let me see" });
    expect(told.map(({ type }) => type)).toContain("agent_tool_call");
    expect(only(told, "agent_tool_result")).toMatchObject([{ outcome: "failed" }]);
    expect(transform.usage).toEqual({ inputTokens: 3, outputTokens: 4 });
  });

  it("joins tokens that come as statuses, and knows the artifact that repeats them (S0.12)", () => {
    const { answer, told } = transformed(
      status("WORKING", "🔧 Calling tool: version"),
      status("WORKING", "H"),
      status("WORKING", "ere"),
      piece("x", "Here", { name: "current_result", lastChunk: true }),
      status("COMPLETED"),
    );
    expect(answer).toBe("Here");
    expect(only(told, "agent_token_start")).toHaveLength(1);
  });

  it("takes words about the work back when the answer comes as an artifact (S0.12)", () => {
    const { answer, told } = transformed(
      status("WORKING", "I look it up"),
      piece("x", "It is blue"),
      status("COMPLETED"),
    );
    expect(answer).toBe("It is blue");
    expect(only(told, "agent_status")).toMatchObject([{ state: "working" }, { text: "I look it up" }, {}]);
  });

  it("takes any text for the answer, and files and data for artifacts", () => {
    const { told, answer } = transformed(
      piece("report", [
        { text: "See the file." },
        { raw: "YQ==", filename: "a.txt", mediaType: "text/plain" },
      ]),
      piece("report", [{ data: { rows: 2 } }], { append: true }),
    );
    expect(answer).toBe("See the file.");
    const [first, second] = only(told, "agent_artifact");
    expect(first).toMatchObject({ artifactId: "report", parts: [{ filename: "a.txt" }] });
    expect(second?.parts).toHaveLength(2);
  });

  it("takes a plain message, or the last status, for the answer where there is no other", () => {
    const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "Just a word" }] } as const;
    const replied = transformed({ message });
    expect(replied.answer).toBe("Just a word");
    expect(replied.transform.isOver).toBe(true);
    expect(transformed(status("WORKING"), status("COMPLETED", "All done")).answer).toBe("All done");
    const both = transformed(piece("a", "The answer"), status("COMPLETED", "All done"));
    expect(both.answer).toBe("The answer");
  });

  it("restarts a text where append is false (S4.22)", () => {
    const { told, answer } = transformed(piece("a", "Wro"), piece("a", "Right"));
    expect(only(told, "agent_token_start")).toMatchObject([{}, { restart: true }]);
    expect(answer).toBe("Right");
  });

  it("records a repeated question once, and another one again (+7)", () => {
    const request = { id: "call-1", tool: "pay", arguments: { sum: 5 }, argumentsHash: "h" };
    const asks = status("INPUT_REQUIRED", [{ text: "May I?" }, memberPart(approvalRequest, request)]);
    const { transform, told } = transformed(asks, asks);
    expect(only(told, "approval_requested")).toEqual([
      {
        ...{ type: "approval_requested", runId: "r1", approvalId: "r1-ask-1", question: "May I?" },
        ...{ tool: "pay", arguments: { sum: 5 }, argumentsHash: "h" },
      },
    ]);
    expect(transform.waitingFor).toBe("r1-ask-1");
    transform.answered("r1-ask-1");
    expect(transform.accept(asks)).toEqual([]);
    expect(transform.waitingFor).toBeUndefined();
    transform.accept(status("INPUT_REQUIRED", "Which colour?"));
    expect(transform.waitingFor).toBe("r1-ask-2");
  });
});

describe("RunTransform of a task that is read again (invariant 7)", () => {
  const whole = (text: string) => [{ artifactId: "a", parts: [{ text }] }];

  it("records only what is missing of the agent's text", () => {
    const { told } = transformed(piece("a", "Hel"), task("WORKING", whole("Hello")));
    expect(only(told, "agent_token").map(({ text }) => text)).toEqual(["Hel", "lo"]);
  });

  it("waits for an agent whose record is behind, and doubles nothing", () => {
    const { answer, told } = transformed(
      piece("a", "Hello"),
      task("WORKING", whole("He")),
      piece("a", "ll", { append: true }),
      piece("a", "o wor", { append: true }),
      piece("a", "ld", { append: true }),
      status("COMPLETED"),
    );
    expect(answer).toBe("Hello world");
    expect(only(told, "agent_token_start")).toHaveLength(1);
  });

  it("takes back what the agent does not have in the end", () => {
    expect(transformed(piece("a", "Hello"), task("COMPLETED", whole("Hell"))).answer).toBe("Hell");
    expect(transformed(piece("a", "Hello"), task("WORKING", whole("Good")), status("COMPLETED")).answer).toBe(
      "Good",
    );
  });

  it("takes back text and files when the agent starts over, and closes its open questions (S4.10)", () => {
    const file = { raw: "aGk=", filename: "hi.txt", mediaType: "text/plain" };
    const { transform } = transformed(
      piece("a", "Hel"),
      { artifactUpdate: { taskId: "t1", contextId: "c1", artifact: { artifactId: "f", parts: [file] } } },
      status("INPUT_REQUIRED", "Which?"),
    );
    const told = transform.restart();
    expect(told).toMatchObject([
      { type: "agent_token_start", restart: true },
      { type: "agent_artifact", artifactId: "f", parts: [] },
      { type: "approval_answered", approvalId: "r1-ask-1", decision: "denied" },
    ]);
    expect(transform).toMatchObject({ answer: "", taskId: undefined, waitingFor: undefined });
  });
});
