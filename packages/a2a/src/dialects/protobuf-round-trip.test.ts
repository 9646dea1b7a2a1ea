import * as sdk from "@a2a-js/sdk";
import { LegacyA2AService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toSdkEvent, toSdkTask } from "../bindings/grpc/sdk-objects.ts";
import type { Json, Message, StreamResponse, Task } from "../protocol/model.ts";
import * as ours from "./testing/canonical-arbitraries.ts";
import { always, same, travelled } from "./testing/properties.ts";
import { v1Dialect } from "./v1/dialect.ts";
import { decodeV03ProtoRequest } from "./v03/proto-dialect.ts";
import { protoEvent, protoTask } from "./v03/proto-encode.ts";
import { protoJson } from "./v03/proto-json.ts";

describe("our model through protobuf of v1.0 and back (S1.28, +11)", () => {
  const { responseSerialize, responseDeserialize } = A2AService.getTask;
  const event = A2AService.subscribeToTask;

  it("keeps every task", () => {
    always(sayable(ours.task), (task) => {
      const back = responseDeserialize(responseSerialize(toSdkTask(task)));
      same(v1Dialect.decodeResult("get", travelled(sdk.Task.toJSON(back))), withoutEmpty(task));
    });
  });

  it("keeps every update of a stream", () => {
    always(sayable(ours.update("task-1", "context-1")), (update) => {
      const back = event.responseDeserialize(event.responseSerialize(toSdkEvent(update)));
      const [decoded] = v1Dialect.eventDecoder()(travelled(sdk.StreamResponse.toJSON(back)));
      same(withoutFalse(decoded as StreamResponse), withoutFalse(withoutEmpty(update)));
    });
  });
});

describe("our model in protobuf of v0.3 (S1.28, +11)", () => {
  const { responseSerialize, responseDeserialize } = LegacyA2AService.getTask;

  it("is serialised by the SDK's own code, and parses back to the same", () => {
    always(sayable(ours.task), (task) => {
      const message = protoTask(task);
      const back = responseDeserialize(responseSerialize(message));
      same(travelled(olderJson(protoJson(back))), travelled(olderJson(protoJson(message))));
    });
    const event = LegacyA2AService.taskSubscription;
    always(sayable(ours.update("task-1", "context-1")), (update) => {
      const message = protoEvent(update);
      const back = event.responseDeserialize(event.responseSerialize(message));
      same(travelled(olderJson(protoJson(back))), travelled(olderJson(protoJson(message))));
    });
  });

  it("round-trips a message as ProtoJSON, except for its referenced tasks", () => {
    always(ours.message, (message) => {
      const { status } = protoTask({ ...TASK, status: { ...TASK.status, message } });
      const { message: json } = protoJson(status ?? {});
      const request = decodeV03ProtoRequest("send", travelled({ message: json }));
      const { referenceTaskIds: _, ...expected } = message;
      same(withoutEmpty(request.message), withoutEmpty(expected));
    });
  });

  it("accepts v0.3 JSON too", () => {
    const message = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] };
    expect(decodeV03ProtoRequest("send", { message, configuration: { blocking: false } })).toEqual({
      message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] },
      configuration: { returnImmediately: true },
    });
  });

  it("reads a configuration without `blocking` as non-blocking, because false is not serialised", () => {
    const message = { messageId: "m", role: "ROLE_USER", content: [{ text: "hi" }] };
    const read = (configuration?: object) =>
      decodeV03ProtoRequest("send", { message, ...(configuration && { configuration }) }).configuration;
    expect([read(), read({ blocking: true }), read({})]).toEqual([
      undefined,
      undefined,
      { returnImmediately: true },
    ]);
    expect(read({ blocking: true, historyLength: 0 })).toBeUndefined();
    expect(read({ blocking: true, history_length: 3 })).toEqual({ historyLength: 3 });
  });

  it("never throws anything but InvalidParams, whatever comes", () => {
    const operations = [
      "send",
      "stream",
      "get",
      "cancel",
      "subscribe",
      "createPush",
      "getPush",
      "deletePush",
    ] as const;
    const value = fc.anything({
      values: [fc.string(), fc.constantFrom("tasks/t", "ROLE_USER", 1)],
      maxDepth: 4,
    });
    const names = fc.constantFrom(
      "message",
      "request",
      "content",
      "configuration",
      "name",
      "parent",
      "config",
      "file",
      "data",
      "role",
    );
    always(fc.tuple(fc.constantFrom(...operations), fc.dictionary(names, value)), ([operation, params]) => {
      try {
        decodeV03ProtoRequest(operation, params);
      } catch (error) {
        expect(error).toMatchObject({ kind: "InvalidParams" });
      }
    });
  });
});

const TASK: Task = {
  id: "t",
  contextId: "c",
  status: { state: "TASK_STATE_WORKING", timestamp: "2025-01-01T00:00:00.000Z" },
};

/** The SDK's generated code loses members called so. */
function sayable<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return arbitrary.filter((value) => !JSON.stringify(value).includes("__proto__"));
}

/** A repeated field that is empty cannot be told from one that is missing. */
function withoutEmpty<T extends Task | Message | StreamResponse>(value: T): T {
  return JSON.parse(JSON.stringify(value), (name, it) =>
    LISTS.has(name) && Array.isArray(it) && it.length === 0 ? undefined : it,
  );
}
const LISTS = new Set(["artifacts", "history", "extensions", "referenceTaskIds"]);

function withoutFalse(event: StreamResponse): StreamResponse {
  if (!("artifactUpdate" in event)) return event;
  const { append, lastChunk, ...rest } = event.artifactUpdate;
  return { artifactUpdate: { ...rest, ...(append && { append }), ...(lastChunk && { lastChunk }) } };
}

/** Without what only the newer drawings of v0.3 have: names of files, metadata of parts. */
function olderJson(value: Json): Json {
  if (Array.isArray(value)) return value.map(olderJson);
  if (typeof value !== "object" || value === null) return value;
  const isFile = "fileWithUri" in value || "fileWithBytes" in value;
  const isPart = "text" in value || "file" in value || "data" in value;
  const members = Object.entries(value).filter(
    ([name]) => !(isFile && name === "name") && !(isPart && name === "metadata"),
  );
  return Object.fromEntries(
    members.map(([name, it]) => [
      name,
      name === "metadata" || (name === "data" && !isPart) ? it : olderJson(it),
    ]),
  );
}
