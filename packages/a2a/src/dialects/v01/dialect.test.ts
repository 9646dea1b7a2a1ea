import { describe, expect, it } from "vitest";
import type { StreamResponse, Task, TaskState } from "../../protocol/model.ts";
import { stored } from "../testing/properties.ts";
import { v01Dialect } from "./dialect.ts";

const message = { role: "user", parts: [{ type: "text", text: "What's 2+2?" }] };
const send = (params: object) => v01Dialect.decodeRequest("send", params);
const timestamp = "2025-01-01T00:00:00Z";
const names = { taskId: "task-1", contextId: "session-123" };

function encodedBy(...events: StreamResponse[]): unknown[] {
  const encode = v01Dialect.eventEncoder(() => 0, { id: "task-1", contextId: "session-123" });
  return events.flatMap((event) => encode(stored(event))).map((json) => JSON.parse(json));
}

describe("a v0.1 request (S1.3–9)", () => {
  it("carries the client's own task id and session (S1.18)", () => {
    expect(send({ id: "task-1", sessionId: "session-123", message })).toEqual({
      message: {
        messageId: expect.stringMatching(/^v01-message-/),
        taskId: "task-1",
        contextId: "session-123",
        role: "ROLE_USER",
        parts: [{ text: "What's 2+2?" }],
      },
      clientTaskId: true,
    });
  });

  it("with the same text again is another message", () => {
    const ids = [1, 2].map(() => send({ id: "task-1", message }).message.messageId);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it("may use null for absent members, and omit the type of a part", () => {
    const parts = [{ text: "a" }, { file: { uri: "https://a.example/f", bytes: null, name: null } }];
    const params = {
      id: "t",
      sessionId: null,
      message: { role: "user", parts, metadata: null },
      historyLength: null,
    };
    expect(send(params).message.parts).toEqual([{ text: "a" }, { url: "https://a.example/f" }]);
  });

  it("carries its push config and history length", () => {
    const pushNotification = {
      url: "https://a.example",
      token: "t",
      authentication: { schemes: ["Bearer"] },
    };
    expect(send({ id: "t", message, pushNotification, historyLength: 2 }).configuration).toEqual({
      taskPushNotificationConfig: {
        url: "https://a.example",
        token: "t",
        authentication: { scheme: "Bearer" },
      },
      historyLength: 2,
    });
  });

  it.each([
    ["task id", { message }, "id"],
    ["message", { id: "t" }, "message"],
    ["role", { id: "t", message: { parts: message.parts } }, "message.role"],
    ["parts", { id: "t", message: { role: "user", parts: [] } }, "message.parts"],
    ["sensible history length", { id: "t", message, historyLength: -2 }, "historyLength"],
    ["task id that can be kept: it is too long", { id: "x".repeat(191), message }, "id"],
    ["task id that can be kept: it has a control character", { id: "x\u0000", message }, "id"],
    ["task id that can be kept: it has half a character", { id: "x\ud800", message }, "id"],
  ])("without a %s is refused by name", (_name, params, field) => {
    expect(() => send(params)).toThrow(
      expect.objectContaining({ kind: "InvalidParams", details: { field } }),
    );
  });

  it.each(["list", "listPush", "deletePush", "extendedCard"] as const)(
    "for %s does not exist",
    (operation) => {
      expect(v01Dialect.methodOf(operation)).toBeUndefined();
      expect(() => v01Dialect.decodeRequest(operation, {})).toThrow("has no operation");
    },
  );
});

describe("a v0.1 stream (S1.15–17)", () => {
  const working = {
    taskId: "task-1",
    contextId: "",
    status: { state: "TASK_STATE_WORKING", timestamp },
  } as const;

  it("starts with the task as a non-final status", () => {
    const status = { state: "TASK_STATE_SUBMITTED", timestamp } as const;
    expect(encodedBy({ task: { id: "task-1", contextId: "session-123", status } })).toMatchObject([
      { id: "task-1", status: { state: "submitted", timestamp }, final: false },
    ]);
  });

  it("includes the existing artifacts of a task, and its end if it has ended", () => {
    const artifacts = [{ artifactId: "a", parts: [{ text: "4" }] }];
    const status = { state: "TASK_STATE_COMPLETED", timestamp } as const;
    expect(encodedBy({ task: { id: "task-1", contextId: "c", status, artifacts } })).toMatchObject([
      { status: { state: "completed" }, final: false },
      { artifact: { parts: [{ type: "text", text: "4" }], index: 0, append: false } },
      { status: { state: "completed" }, final: true },
    ]);
  });

  it("writes the flags of a piece into the artifact", () => {
    const artifact = { artifactId: "v01-artifact-0", name: "sum", parts: [{ text: "4" }] };
    const update = { taskId: "task-1", contextId: "", artifact, append: true, lastChunk: true };
    expect(encodedBy({ artifactUpdate: update })).toEqual([
      {
        id: "task-1",
        artifact: {
          name: "sum",
          parts: [{ type: "text", text: "4" }],
          index: 0,
          append: true,
          lastChunk: true,
        },
      },
    ]);
  });

  it("sends a context and an artifact's id once, not with every piece", () => {
    const piece = (text: string): StreamResponse => ({
      artifactUpdate: { ...names, artifact: { artifactId: "answer", parts: [{ text }] }, append: true },
    });
    const [first, second] = encodedBy(piece("a"), piece("b"));
    expect(JSON.stringify(first)).toContain("answer");
    expect(second).toEqual({
      id: "task-1",
      artifact: { parts: [{ type: "text", text: "b" }], index: 0, append: true },
    });
  });

  it.each([
    ["TASK_STATE_WORKING", "working", false],
    ["TASK_STATE_INPUT_REQUIRED", "input-required", true],
    ["TASK_STATE_COMPLETED", "completed", true],
    ["TASK_STATE_FAILED", "failed", true],
    ["TASK_STATE_CANCELED", "canceled", true],
    ["TASK_STATE_REJECTED", "failed", true],
    ["TASK_STATE_AUTH_REQUIRED", "input-required", true],
  ] as const)("writes %s as %s with final %s (S1.10)", (state: TaskState, name, final) => {
    const statusUpdate = { ...working, status: { state, timestamp } };
    expect(encodedBy({ statusUpdate })).toMatchObject([{ status: { state: name }, final }]);
  });

  it("writes a message, which v0.1 does not have, as the last status of a completed task", () => {
    const answer = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "4" }] } as const;
    const last = { id: "task-1", status: { state: "completed", message: { role: "agent" } } };
    expect(encodedBy({ message: answer })).toMatchObject([{ ...last, final: true }]);
    const sent = v01Dialect.encodeResult("send", { message: answer }, { id: "task-1" });
    expect(sent).toMatchObject(last);
  });
});

describe("a v0.1 agent's stream", () => {
  it("gives its artifacts ids from their numbers (S3.10)", () => {
    const decode = v01Dialect.eventDecoder(
      names === undefined ? {} : { id: "task-1", contextId: "session-123" },
    );
    const artifact = { parts: [{ type: "text", text: "4" }], index: 2, append: true };
    expect(decode({ id: "task-1", artifact })).toEqual([
      {
        artifactUpdate: {
          ...names,
          artifact: { artifactId: "v01-artifact-2", parts: [{ text: "4" }] },
          append: true,
        },
      },
    ]);
  });

  it("is parsed in the second seed's form", () => {
    const decode = v01Dialect.eventDecoder();
    const task = { id: "task-1", sessionId: "session-123", status: { state: "submitted", timestamp } };
    const artifacts = [{ parts: [{ type: "text", text: "4" }] }];
    expect(decode({ type: "taskStatusUpdate", task })).toEqual([
      {
        task: {
          id: "task-1",
          contextId: "session-123",
          status: { state: "TASK_STATE_SUBMITTED", timestamp },
        },
      },
    ]);
    const artifact = { artifactId: "v01-artifact-0", parts: [{ text: "4" }] };
    expect(decode({ type: "taskArtifactUpdate", taskId: "task-1", artifacts })).toEqual([
      { artifactUpdate: { ...names, artifact } },
    ]);
    const done = { ...task, status: { state: "completed", timestamp }, artifacts };
    expect(decode({ type: "taskStatusUpdate", task: done })).toEqual([
      { artifactUpdate: { ...names, artifact } },
      { statusUpdate: { ...names, status: { state: "TASK_STATE_COMPLETED", timestamp } } },
    ]);
  });

  it("in state unknown is polled again (S1.10)", () => {
    const [event] = v01Dialect.eventDecoder()({ id: "t", status: { state: "unknown" }, final: true });
    expect(event).toMatchObject({ statusUpdate: { status: { state: "TASK_STATE_WORKING" } } });
  });
});

describe("a v0.1 agent's task", () => {
  const history = [message, message, { role: "agent", parts: [{ type: "text", text: "4" }] }];
  const sent = { id: "t", status: { state: "completed", timestamp: "2025-04-02T16:53:29.301828" }, history };
  const ids = (task: Task) => task.history?.map((it) => it.messageId) ?? [];

  it("gives its messages distinct ids that stay the same on repeated reads", () => {
    const [first, again] = [1, 2].map(() => ids(v01Dialect.decodeResult("get", sent)));
    expect(new Set(first).size).toBe(3);
    expect(again).toEqual(first);
  });

  it("has its time in UTC, even without a time zone", () => {
    expect(v01Dialect.decodeResult("get", sent).status.timestamp).toBe("2025-04-02T16:53:29.301828Z");
  });

  it("has a distinct id for each artifact, even if all have the same index", () => {
    const artifacts = [{ parts: [], index: 0 }, { parts: [], index: 0 }, { parts: [] }];
    const task = v01Dialect.decodeResult("get", { ...sent, artifacts });
    expect(task.artifacts?.map((it) => it.artifactId)).toEqual([
      "v01-artifact-0",
      "v01-artifact-1",
      "v01-artifact-2",
    ]);
  });
});
