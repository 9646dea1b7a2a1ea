import { GetTaskRequest, ListTasksRequest, SendMessageRequest } from "@a2a-js/sdk";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GrpcAgent, sendRequest, startGrpcAgent, userMessage } from "../testing/grpc-agent.ts";
import { refusalOf } from "../testing/grpc-client.ts";

let served: GrpcAgent;

beforeEach(async () => {
  served = await startGrpcAgent();
});
afterEach(() => served.stop());

describe("bad input over gRPC is refused as the caller's error (S1.21)", () => {
  const bad: [string, string, object, string][] = [
    ["no message", "sendMessage", SendMessageRequest.fromJSON({}), "message"],
    [
      "no parts",
      "sendMessage",
      sendRequest("", { message: userMessage("", { parts: [] }) }),
      "message.parts",
    ],
    [
      "an empty part",
      "sendMessage",
      sendRequest("", { message: userMessage("", { parts: [{}] }) }),
      "message.parts[0]",
    ],
    [
      "no role",
      "sendMessage",
      sendRequest("", { message: userMessage("say", { role: undefined }) }),
      "message.role",
    ],
    [
      "an unknown role",
      "sendMessage",
      sendRequest("", { message: userMessage("say", { role: 9 }) }),
      "message.role",
    ],
    [
      "no messageId",
      "sendMessage",
      sendRequest("", { message: userMessage("say", { messageId: "" }) }),
      "message.messageId",
    ],
    [
      "a negative historyLength",
      "sendMessage",
      sendRequest("say", { configuration: { historyLength: -1 } }),
      "configuration.historyLength",
    ],
    ["no task id", "getTask", GetTaskRequest.fromJSON({}), "id"],
    ["no task id", "cancelTask", GetTaskRequest.fromJSON({}), "id"],
    [
      "a negative historyLength",
      "getTask",
      GetTaskRequest.fromJSON({ id: "t", historyLength: -1 }),
      "historyLength",
    ],
    ["too large a page", "listTasks", ListTasksRequest.fromJSON({ pageSize: 101 }), "pageSize"],
    ["a page token that is none", "listTasks", ListTasksRequest.fromJSON({ pageToken: "!" }), "pageToken"],
  ];
  it.each(bad)("%s in %s", async (_, method, request, field) => {
    expect(await refusalOf(served.caller.ask(method, request))).toMatchObject({
      code: "INVALID_ARGUMENT",
      info: { reason: "INVALID_PARAMS", domain: "a2a-protocol.org", metadata: { field } },
    });
    expect(served.reported).toEqual([]);
  });

  it("also in a stream", async () => {
    const stream = served.caller.stream("sendStreamingMessage", SendMessageRequest.fromJSON({}));
    expect(await refusalOf(stream.toArray())).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(
      await refusalOf(served.caller.stream("subscribeToTask", { id: "", tenant: "" }).toArray()),
    ).toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  it("bytes that are not a message", async () => {
    const refusal = await refusalOf(
      served.caller.ask("sendMessage", Buffer.from("\x0a\xff\xff not protobuf")),
    );
    expect(refusal).toMatchObject({ code: "INVALID_ARGUMENT", info: { reason: "INVALID_PARAMS" } });
  });

  it.each([65, 20_000])("data nested %i levels deep", async (depth) => {
    const { code, details } = await refusalOf(served.caller.ask("sendMessage", deepRequest(depth)));
    expect([code, details]).toEqual(["INVALID_ARGUMENT", expect.stringMatching(/deeper|not a message/)]);
  });

  it("a number that JSON cannot represent", async () => {
    const request = sendRequest("", { message: userMessage("", { parts: [{ data: Number.NaN }] }) });
    expect(await refusalOf(served.caller.ask("sendMessage", request))).toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  it("a list with an empty value", async () => {
    const request = sendRequest("", {
      message: userMessage("say", { parts: [{ text: "say" }, { data: ["here"] }] }),
    });
    const bytes = A2AService.sendMessage.requestSerialize(request).toString("hex");
    // A text's field three times with the type of a number: readers skip it, and the value has no kind.
    const kindless = bytes.replace("0a061a0468657265", "0a06180118011801");
    expect(kindless).not.toBe(bytes);
    const refusal = await refusalOf(served.caller.ask("sendMessage", Buffer.from(kindless, "hex")));
    expect(refusal).toMatchObject({ code: "INVALID_ARGUMENT", details: expect.stringContaining("none") });
    expect(served.reported).toEqual([]);
  });

  it("a message over a megabyte, without reading it", async () => {
    const refusal = await refusalOf(served.caller.ask("sendMessage", sendRequest("x".repeat(1_100_000))));
    expect(refusal.code).toBe("RESOURCE_EXHAUSTED");
  });
});

/** Field upon field by hand: no encoder could write this without overflowing its own stack. */
function deepRequest(depth: number): Buffer {
  // SendMessageRequest.message = 2, Message.parts = 5, Part.data = 4; then a list in a value, again and again.
  const fields = [2, 5, 4, ...Array.from({ length: depth }, () => [6, 1]).flat()];
  const pieces = [Buffer.from([0x08, 0x00])];
  let length = 2;
  for (const field of fields.reverse()) {
    const prefix = Buffer.concat([Buffer.from([(field << 3) | 2]), lengthOf(length)]);
    pieces.push(prefix);
    length += prefix.length;
  }
  return Buffer.concat(pieces.reverse());
}

function lengthOf(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}
