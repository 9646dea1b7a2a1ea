import { describe, expect, it } from "vitest";
import { A2AError } from "../../protocol/errors.ts";
import type { Operation } from "../dialect.ts";
import { v1Dialect } from "./dialect.ts";

const message = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "hello" }] };
const send = (change: object) => ["send", { message: { ...message, ...change } }] as const;

/** The field that a request is refused for. */
function refusedField(operation: Operation, params: unknown): string | undefined {
  try {
    v1Dialect.decodeRequest(operation, params);
    return undefined;
  } catch (error) {
    if (!(error instanceof A2AError)) throw error;
    expect(error.kind).toBe("InvalidParams");
    return error.details.field;
  }
}

describe("an invalid v1.0 request is refused with the name of its field", () => {
  it.each([
    ["no params", ["send", undefined], "message"],
    ["a list as params", ["send", []], "params"],
    ["no message id", send({ messageId: undefined }), "message.messageId"],
    ["an empty message id", send({ messageId: "" }), "message.messageId"],
    ["no role", send({ role: undefined }), "message.role"],
    ["an unspecified role", send({ role: 0 }), "message.role"],
    ["a role of v0.3", send({ role: "user" }), "message.role"],
    ["no parts", send({ parts: undefined }), "message.parts"],
    ["empty parts", send({ parts: [] }), "message.parts"],
    ["a part that is nothing", send({ parts: [{ filename: "a.txt" }] }), "message.parts[0]"],
    [
      "a part that is two things",
      send({ parts: [{ text: "a" }, { text: "b", url: "c" }] }),
      "message.parts[1]",
    ],
    ["raw that is no base64", send({ parts: [{ raw: "n@pe" }] }), "message.parts[0].raw"],
    ["metadata that is no object", send({ metadata: [1] }), "message.metadata"],
    ["a negative history length", ["get", { id: "t", historyLength: -1 }], "historyLength"],
    ["half a history length", ["get", { id: "t", historyLength: 1.5 }], "historyLength"],
    ["no task id", ["get", {}], "id"],
    ["a page of nothing", ["list", { pageSize: 0 }], "pageSize"],
    ["a page of 101", ["list", { pageSize: 101 }], "pageSize"],
    ["a state that there is not", ["list", { status: "working" }], "status"],
    ["a time that is none", ["list", { statusTimestampAfter: "yesterday" }], "statusTimestampAfter"],
    ["a push config without url", ["createPush", { taskId: "t" }], "url"],
    [
      "a scheme that is missing",
      ["createPush", { taskId: "t", url: "u", authentication: {} }],
      "authentication.scheme",
    ],
  ] as const)("%s", (_name, [operation, params], field) => {
    expect(refusedField(operation, params)).toBe(field);
  });
});

describe("a v1.0 request is ProtoJSON", () => {
  it("accepts snake_case, numbers for enums, digits for integers, and null and unknown members as absent", () => {
    const params = {
      message: {
        message_id: "m",
        context_id: "",
        task_id: null,
        role: 1,
        parts: [{ text: "", media_type: "a/b" }],
      },
      configuration: { history_length: "3", return_immediately: true, accepted_output_modes: ["text"] },
      later: true,
    };
    expect(v1Dialect.decodeRequest("send", params)).toEqual({
      message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "", mediaType: "a/b" }] },
      configuration: { historyLength: 3, returnImmediately: true, acceptedOutputModes: ["text"] },
    });
  });

  it("accepts null data, because null is a value there", () => {
    const request = v1Dialect.decodeRequest("send", { message: { ...message, parts: [{ data: null }] } });
    expect(request.message.parts).toEqual([{ data: null }]);
  });

  it("accepts either Base64 alphabet, and stores the standard one", () => {
    const parts = [{ raw: "-_-_" }, { raw: "YQ" }, { raw: "YWI=" }];
    const request = v1Dialect.decodeRequest("send", { message: { ...message, parts } });
    expect(request.message.parts).toEqual([{ raw: "+/+/" }, { raw: "YQ==" }, { raw: "YWI=" }]);
  });

  it("accepts times of any zone and stores them in UTC with full precision", () => {
    const after = (statusTimestampAfter: string) =>
      v1Dialect.decodeRequest("list", { statusTimestampAfter }).statusTimestampAfter;
    expect(after("2025-06-01T01:30:00.123456789+02:00")).toBe("2025-05-31T23:30:00.123456789Z");
    expect(after("2025-06-01T01:30:00Z")).toBe("2025-06-01T01:30:00Z");
  });

  it("accepts page sizes of 1 to 100, and any for push configs", () => {
    expect(v1Dialect.decodeRequest("list", { pageSize: 100, status: 0 })).toEqual({ pageSize: 100 });
    expect(v1Dialect.decodeRequest("listPush", { taskId: "t", pageSize: 0 })).toEqual({ taskId: "t" });
  });
});

describe("a v1.0 response", () => {
  it("may omit ids, times and parts", () => {
    const artifactUpdate = { taskId: "t", artifact: { name: "n" } };
    const [event] = v1Dialect.eventDecoder()({ artifactUpdate });
    expect(event).toEqual({
      artifactUpdate: { taskId: "t", contextId: "", artifact: { artifactId: "", name: "n", parts: [] } },
    });
  });

  it("in an unspecified state counts as working, with a finding", () => {
    const task = v1Dialect.decodeResult("get", { id: "t", status: { timestamp: "2025-01-01T00:00:00Z" } });
    expect(task.status.state).toBe("TASK_STATE_WORKING");
    expect(task.metadata).toEqual({ "urn:parley:ext:run:1": { carried: { peerState: "unknown" } } });
  });

  it.each([
    ["nothing", null, "result"],
    ["two members", { task: { id: "t", status: {} }, message }, "result"],
    ["a task without id", { task: { status: {} } }, "task.id"],
    ["a state that there is not", { task: { id: "t", status: { state: "done" } } }, "task.status.state"],
  ])("of %s is refused by name", (_name, answer, field) => {
    expect(() => v1Dialect.decodeResult("send", answer)).toThrow(
      expect.objectContaining({ kind: "InvalidAgentResponse", details: { field } }),
    );
  });

  it("to a deletion is null, as in the SDKs", () => {
    expect(v1Dialect.encodeResult("deletePush", undefined)).toBeNull();
    expect(v1Dialect.decodeResult("deletePush", {})).toBeUndefined();
  });
});

describe("the methods of v1.0", () => {
  it("are named as in its service", () => {
    expect(v1Dialect.operationOf("SendStreamingMessage")).toBe("stream");
    expect(v1Dialect.methodOf("listPush")).toBe("ListTaskPushNotificationConfigs");
    expect(v1Dialect.operationOf("message/send")).toBeUndefined();
    expect(v1Dialect.operationOf("constructor")).toBeUndefined();
  });

  it("never carry the marker of a client's own task id", () => {
    const request = v1Dialect.decodeRequest("send", { message });
    expect(v1Dialect.encodeRequest("send", { ...request, clientTaskId: true })).toEqual({ message });
  });
});
