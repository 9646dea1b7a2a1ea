import { describe, expect, it } from "vitest";
import { stored } from "./testing/properties.ts";
import { v03Dialect } from "./v03/dialect.ts";

// The examples of the first seed as they stand there, without their comments.
const task = {
  kind: "task",
  id: "0b18d90c-b92a-40d1-a205-df9fc70f739c",
  status: { state: "submitted" },
  contextId: "07c0f068-23ce-41e1-a989-f428769b5033",
  history: [
    {
      kind: "message",
      role: "user",
      parts: [{ kind: "text", text: "show argocd version" }],
      messageId: "msg-supervisor-1",
    },
  ],
};

function piece(flags: object, artifactId: string, words: object, text: string): object {
  const artifact = { artifactId, ...words, parts: [{ kind: "text", text }] };
  return { kind: "artifact-update", ...flags, artifact };
}

const plan = { name: "execution_plan_streaming", description: "Execution plan streaming in progress" };
const result = {
  name: "streaming_result",
  description: "Streaming result from Platform Engineer",
};
const planId = "20e09366-fc4d-4485-b1b4-b4651415d22c";
const resultId = "04c6b73a-fb00-40c4-a23c-3da41a1334bd";

const artifactUpdates = [
  piece({ append: false, lastChunk: false }, planId, plan, "⟦"),
  piece({ append: true, lastChunk: false }, planId, plan, "**"),
  piece(
    { append: true, lastChunk: false },
    "75d62509-51c0-4e04-b5be-2908036c4a8a",
    { name: "execution_plan_update", description: "Complete execution plan streamed to user" },
    "⟦**🎯 Execution Plan...**⟧",
  ),
  piece(
    { append: false },
    "d8373de2-1d91-4484-a8ec-dce88b077bd6",
    { name: "tool_notification_start", description: "Tool call started: argocd" },
    "🔧 Supervisor: Calling Agent Argocd...\n",
  ),
  piece({ append: false, lastChunk: false }, resultId, result, "Here"),
  piece({ append: true }, resultId, { name: "streaming_result" }, " is"),
  piece(
    { append: false, lastChunk: true },
    "3881cbbc-08e8-4c5b-90d5-a8dccf4368f7",
    { name: "partial_result", description: "Partial result from Platform Engineer (stream ended)" },
    "Here is the ArgoCD version information...",
  ),
];

const names = {
  contextId: "57a8b9ea-1580-422f-a387-177c4840b133",
  taskId: "06c54ebb-50cd-4210-9a35-13899c23815e",
};

const statusUpdates = [
  {
    kind: "status-update",
    final: false,
    ...names,
    status: {
      state: "working",
      message: {
        kind: "message",
        role: "agent",
        messageId: "cc07f0d2-ab2c-46ba-ab88-d55eebec96cf",
        ...names,
        parts: [{ kind: "text", text: "H" }],
      },
    },
  },
  { kind: "status-update", final: true, status: { state: "completed" }, taskId: names.taskId },
];

describe("the first seed's events (S0.16, S0.17)", () => {
  it.each([task, ...artifactUpdates, ...statusUpdates])("round-trip: %j", (event) => {
    const encode = v03Dialect.eventEncoder(() => 0);
    const decoded = v03Dialect.eventDecoder()(event);
    expect(decoded.flatMap((it) => encode(stored(it))).map((json) => JSON.parse(json))).toEqual([event]);
  });

  it("parse into a submitted task with history, a first piece, a later piece and a single piece", () => {
    const decode = v03Dialect.eventDecoder();
    expect(decode(task)).toMatchObject([
      { task: { id: task.id, contextId: task.contextId, status: { state: "TASK_STATE_SUBMITTED" } } },
    ]);
    const flags = artifactUpdates.flatMap((event) =>
      decode(event).map((it) => ("artifactUpdate" in it ? it.artifactUpdate.append : undefined)),
    );
    expect(flags).toEqual([false, true, true, false, false, true, false]);
  });
});

describe("the first seed's request (S0.16, S0.20)", () => {
  it("is accepted as the curl commands write it", () => {
    const params = {
      message: { role: "user", parts: [{ kind: "text", text: "show argocd version" }], messageId: "msg-1" },
    };
    expect(v03Dialect.operationOf("message/stream")).toBe("stream");
    const request = v03Dialect.decodeRequest("stream", params);
    expect(request).toEqual({
      message: { role: "ROLE_USER", parts: [{ text: "show argocd version" }], messageId: "msg-1" },
    });
    expect(v03Dialect.encodeRequest("stream", request)).toEqual({
      message: { kind: "message", ...params.message },
    });
  });
});
