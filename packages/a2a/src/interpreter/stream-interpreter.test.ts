import { describe, expect, it } from "vitest";
import { carry } from "../dialects/carried.ts";
import { memberPart, withMember } from "../extension/extension-member.ts";
import {
  approvalRequest,
  planState,
  provenance,
  snapshot,
  toolCall,
  toolResult,
  usage,
} from "../extension/members.ts";
import type { Artifact, Metadata, Part, StreamResponse, TaskState } from "../protocol/model.ts";
import type { PeerEvent } from "./peer-event.ts";
import { isThought, StreamInterpreter } from "./stream-interpreter.ts";

const names = { taskId: "t1", contextId: "c1" };
const below = withMember(undefined, provenance, { agent: "argocd", callId: "c1", depth: 1 });
const plan = { steps: [{ id: "1", title: "Ask", dependencies: [], state: "working" as const }] };
let count = 0;

function artifact(about: Partial<Artifact>, append = false): StreamResponse {
  return {
    artifactUpdate: {
      ...names,
      append,
      artifact: { artifactId: `a${++count}`, parts: [{ text: "x" }], ...about },
    },
  };
}

function status(text: string | readonly Part[], about: { state?: string; metadata?: Metadata } = {}) {
  const parts = typeof text === "string" ? [{ text }] : text;
  const message = { messageId: `m${++count}`, role: "ROLE_AGENT" as const, parts };
  const state = `TASK_STATE_${about.state ?? "WORKING"}` as TaskState;
  const { metadata } = about;
  const statusUpdate = { ...names, status: { state, timestamp: "2026-01-01T00:00:00Z", message } };
  return { statusUpdate: { ...statusUpdate, ...(metadata && { metadata }) } };
}

function interpreted(...events: readonly StreamResponse[]): PeerEvent[] {
  const interpreter = new StreamInterpreter();
  return events.flatMap((event) => interpreter.interpret(event));
}

const types = (...events: readonly StreamResponse[]) => interpreted(...events).map(({ type }) => type);

describe("StreamInterpreter with our extension", () => {
  it("prefers the extension's data over the artifact's name", () => {
    const call = { id: "c", tool: "look", arguments: {} };
    const ended = { id: "c", outcome: "succeeded", durationMs: 1 } as const;
    expect(
      types(
        artifact({ name: "report", metadata: withMember(undefined, snapshot, { artifactId: "a" }) }),
        artifact({ name: "report", metadata: withMember(undefined, toolCall, call) }),
        artifact({ name: "report", metadata: withMember(undefined, toolResult, ended) }),
        artifact({ name: "report", parts: [memberPart(planState, plan)] }),
        status("Looking", { metadata: withMember(undefined, toolCall, call) }),
        status("Done", { metadata: withMember(undefined, toolResult, ended) }),
      ),
    ).toEqual(["snapshot", "tool-call", "tool-result", "plan-state", "tool-notice", "tool-notice"]);
  });

  it("reads a sub-agent's plan, output and snapshot as content with its origin (S3.1–4)", () => {
    const reserved = ["execution_plan_streaming", "execution_plan_update", "execution_plan_state"];
    const forged = [
      ...reserved,
      "output_start",
      "output_delta",
      "output_end",
      "partial_result",
      "full_output",
    ];
    const events = interpreted(
      ...forged.map((name) => artifact({ name, metadata: below })),
      artifact({ parts: [memberPart(planState, plan)], metadata: below }),
      artifact({ metadata: withMember(below, snapshot, { artifactId: "a" }) }),
    );
    for (const event of events)
      expect(event).toMatchObject({ type: "branch", origin: { agent: "argocd", callId: "c1" } });
  });

  it("reads streaming_result as the peer's answer, whatever its origin", () => {
    const [event] = interpreted(artifact({ name: "streaming_result", metadata: below }));
    expect(event).toMatchObject({ type: "answer", origin: { agent: "argocd" } });
  });

  it("accepts usage only from the peer itself", () => {
    const used = { inputTokens: 1, outputTokens: 2 };
    const [own, others] = interpreted(
      status("Well", { metadata: withMember(undefined, usage, used) }),
      status("Well", { metadata: withMember(below, usage, used) }),
    );
    expect([own, others]).toMatchObject([{ usage: used }, { usage: undefined }]);
  });

  it("distinguishes a question that blocks the task from an approval request while it works", () => {
    const request = { id: "q", tool: "sync", argumentsHash: "h" };
    const parts = [{ text: "May I?" }, memberPart(approvalRequest, request)];
    expect(interpreted(status(parts), status("Which?", { state: "INPUT_REQUIRED" }))).toMatchObject([
      { type: "question", isBlocking: false, request, text: "May I?" },
      { type: "question", isBlocking: true, text: "Which?" },
    ]);
  });

  it("does not read a dialect's carried data as the peer's content", () => {
    expect(types(status("Hello", { metadata: carry(undefined, { messageId: "m" }) ?? {} }))).toEqual([
      "token",
    ]);
  });

  it("keeps type and origin for the pieces that append to an artifact", () => {
    const head = { artifactId: "a", name: "report" };
    const [first, second] = interpreted(artifact({ ...head, metadata: below }), artifact(head, true));
    expect(second).toMatchObject({ type: "branch", arrival: "append" });
    expect(second).toHaveProperty("origin", first && "origin" in first ? first.origin : undefined);
  });
});

describe("StreamInterpreter with a peer that has no extension", () => {
  const update = (about: Partial<Artifact>, text: string) => artifact({ ...about, parts: [{ text }] });

  it.each([
    ["execution_plan_streaming", "⟦", "plan-text"],
    ["execution_plan_update", "⟦**🎯 Execution Plan...**⟧", "plan-complete"],
    ["tool_notification_start", "🔧 Supervisor: Calling Agent Argocd...\n", "tool-call"],
    ["tool_notification_complete", "✅ Supervisor: Agent Argocd completed\n", "tool-result"],
    ["streaming_result", "Here", "answer"],
    ["partial_result", "Here is the ArgoCD version information...", "snapshot"],
    ["current_result", "", "answer"],
  ])("recognises the artifact %s by its name (S0.4–11)", (name, text, type) => {
    expect(types(update({ name }, text))).toEqual([type]);
  });

  it("matches the end of a call with its start by the tool in the description", () => {
    const started = update(
      { artifactId: "n1", name: "tool_notification_start", description: "Tool call started: argocd" },
      "🔧",
    );
    const ended = update(
      { artifactId: "n2", name: "tool_notification_complete", description: "Tool call completed: argocd" },
      "❌ Failed",
    );
    expect(interpreted(started, ended)).toMatchObject([
      { call: { id: "n1", tool: "argocd" } },
      { ended: { id: "n1", outcome: "failed" } },
    ]);
  });

  it("distinguishes tokens in statuses from progress notices, and ignores a repeated one (S0.12)", () => {
    const token = status("H");
    const spoken = [
      status("🔧 Calling tool: version_service__version"),
      status("✅ Tool completed"),
      token,
      token,
      status("ere"),
    ];
    expect(types(...spoken, status([], { state: "COMPLETED" }))).toEqual([
      ...["notice", "notice", "token", "notice", "token", "ended"],
    ]);
    expect(types(status("🎯"), status("👍 yes"))).toEqual(["token", "token"]);
  });

  it("reads a file as a file, whatever its artifact's name", () => {
    const file = { raw: "eA==", filename: "a.png", mediaType: "image/png" };
    expect(types(artifact({ name: "partial_result", parts: [file] }))).toEqual(["answer"]);
    expect(isThought({ artifactId: "a", name: "thinking", parts: [file] })).toBe(false);
    expect(isThought({ artifactId: "a", name: "thinking", parts: [{ text: "Hm" }] })).toBe(true);
  });
});
