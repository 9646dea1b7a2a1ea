import { describe, expect, it } from "vitest";
import type { StreamResponse, TaskState } from "../../protocol/model.ts";
import { stored } from "../testing/properties.ts";
import { v03Dialect } from "./dialect.ts";

const message = { role: "user", parts: [{ kind: "text", text: "hi" }], messageId: "m-1" };
const decode = (params: object) => v03Dialect.decodeRequest("send", params);

function encoded(event: StreamResponse): Record<string, unknown> {
  const [json = ""] = v03Dialect.eventEncoder(() => 0)(stored(event));
  return JSON.parse(json);
}

describe("a v0.3 request", () => {
  it("needs no kind on its message (S0.20)", () => {
    expect(decode({ message })).toEqual({
      message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "hi" }] },
    });
  });

  it.each([
    ["nothing", undefined, undefined],
    ["blocking", { blocking: true }, undefined],
    ["not blocking", { blocking: false }, { returnImmediately: true }],
  ])("with `blocking` %s waits unless it is false", (_name, configuration, expected) => {
    expect(decode({ message, ...(configuration && { configuration }) }).configuration).toEqual(expected);
  });

  it("always states `blocking`, because servers differ in their default", () => {
    const request = decode({ message });
    const waiting = { ...request, configuration: { returnImmediately: true } };
    expect(v03Dialect.encodeRequest("send", request)).toMatchObject({ configuration: { blocking: true } });
    expect(v03Dialect.encodeRequest("send", waiting)).toMatchObject({ configuration: { blocking: false } });
  });

  it.each([
    ["role", { ...message, role: "ROLE_USER" }, "message.role"],
    ["message id", { ...message, messageId: undefined }, "message.messageId"],
    ["empty parts", { ...message, parts: [] }, "message.parts"],
    ["kind of part", { ...message, parts: [{ kind: "video" }] }, "message.parts[0]"],
    ["text part", { ...message, parts: [{ kind: "text" }] }, "message.parts[0].text"],
    [
      "file",
      { ...message, parts: [{ kind: "file", file: { bytes: "YQ==", uri: "u" } }] },
      "message.parts[0].file",
    ],
  ])("is refused for an invalid %s", (_name, wrong, field) => {
    expect(() => decode({ message: wrong })).toThrow(
      expect.objectContaining({ kind: "InvalidParams", details: { field } }),
    );
  });

  it("is refused for a negative history length", () => {
    expect(() => v03Dialect.decodeRequest("get", { id: "t", historyLength: -1 })).toThrow("historyLength");
  });

  it("for listing tasks does not exist", () => {
    expect(v03Dialect.methodOf("list")).toBeUndefined();
    expect(() => v03Dialect.encodeRequest("list", {})).toThrow("has no operation list");
  });
});

describe("a v0.3 event", () => {
  const names = { taskId: "t", contextId: "c" };
  const status = (state: TaskState) => ({ state, timestamp: "2025-01-01T00:00:00Z" });

  it.each([
    ["TASK_STATE_SUBMITTED", false],
    ["TASK_STATE_WORKING", false],
    ["TASK_STATE_INPUT_REQUIRED", true],
    ["TASK_STATE_AUTH_REQUIRED", true],
    ["TASK_STATE_COMPLETED", true],
    ["TASK_STATE_FAILED", true],
    ["TASK_STATE_CANCELED", true],
    ["TASK_STATE_REJECTED", true],
  ] as const)("in %s has final %s", (state, final) => {
    expect(encoded({ statusUpdate: { ...names, status: status(state) } })).toMatchObject({ final });
  });

  it("writes append=false even if our model omits it, because readers compare with false (S0.17)", () => {
    const artifact = { artifactId: "a", parts: [{ text: "H" }] };
    expect(encoded({ artifactUpdate: { ...names, artifact } })).toEqual({
      kind: "artifact-update",
      ...names,
      artifact: { artifactId: "a", parts: [{ kind: "text", text: "H" }] },
      append: false,
    });
  });

  it("in state unknown is read as working and never passed on (S1.10)", () => {
    const update = { kind: "status-update", ...names, status: { state: "unknown" }, final: false };
    const [event] = v03Dialect.eventDecoder()(update);
    expect(event).toMatchObject({
      statusUpdate: {
        status: { state: "TASK_STATE_WORKING" },
        metadata: { "urn:parley:ext:run:1": { carried: { peerState: "unknown" } } },
      },
    });
    expect(event && encoded(event)).toMatchObject({ status: { state: "working" } });
  });

  it("without task and context ids gets those of the stream", () => {
    const decodeEvent = v03Dialect.eventDecoder();
    decodeEvent({ kind: "task", id: "t", contextId: "c", status: { state: "submitted" } });
    const bare = { kind: "artifact-update", append: true, artifact: { artifactId: "a", parts: [] } };
    expect(decodeEvent(bare)).toMatchObject([{ artifactUpdate: names }]);
  });

  it("that is malformed is refused", () => {
    for (const value of [null, "text", [], {}, { kind: "artifact-update" }, { kind: "task", id: "t" }]) {
      expect(() => v03Dialect.eventDecoder()(value)).toThrow(
        expect.objectContaining({ kind: "InvalidAgentResponse" }),
      );
    }
  });
});

describe("a v0.3 push config", () => {
  it("with several schemes keeps the first, with none the empty one", () => {
    const decoded = (schemes: string[]) =>
      v03Dialect.decodeRequest("createPush", {
        taskId: "t",
        pushNotificationConfig: { url: "https://a.example", authentication: { schemes, credentials: "c" } },
      }).authentication;
    expect(decoded(["Bearer", "Basic"])).toEqual({ scheme: "Bearer", credentials: "c" });
    expect(decoded([])).toEqual({ scheme: "", credentials: "c" });
  });

  it("is requested with or without its id", () => {
    const get = (params: object) => v03Dialect.decodeRequest("getPush", params);
    expect(get({ id: "t" })).toEqual({ taskId: "t" });
    expect(get({ id: "t", pushNotificationConfigId: "p" })).toEqual({ taskId: "t", id: "p" });
  });
});

describe("data that is not an object", () => {
  it("is wrapped as in the official SDKs", () => {
    const ours = { messageId: "m", role: "ROLE_AGENT", parts: [{ data: [1, 2] }] } as const;
    const theirs = v03Dialect.encodeResult("send", { message: ours });
    expect(theirs).toMatchObject({
      parts: [{ kind: "data", data: { value: [1, 2] }, metadata: { data_part_compat: true } }],
    });
    expect(v03Dialect.decodeResult("send", theirs)).toEqual({ message: ours });
  });
});
