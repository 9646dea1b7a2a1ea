import { LegacyA2AService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import { describe, expect, it } from "vitest";
import type { Artifact, Message, Part, StreamResponse, Task } from "../../protocol/model.ts";
import type { Operation, OperationRequests } from "../dialect.ts";
import * as ours from "../testing/canonical-arbitraries.ts";
import { always, same, travelled } from "../testing/properties.ts";
import {
  decodeV03ProtoAnswer,
  decodeV03ProtoRequest,
  v03ProtoDialect,
  v03ProtoEventDecoder,
} from "./proto-dialect.ts";
import { protoEvent, protoTask } from "./proto-encode.ts";
import { protoJson } from "./proto-json.ts";
import { protoRequest } from "./proto-requests.ts";

describe("our requests in v0.3 protobuf (S1.28, +11)", () => {
  const name = { taskId: "t", id: "c" };
  const requests: { readonly [O in Exclude<Operation, "list">]?: OperationRequests[O] } = {
    get: { id: "t", historyLength: 3 },
    cancel: { id: "t" },
    subscribe: { id: "t" },
    createPush: { ...name, url: "https://a.example/", token: "x", authentication: { scheme: "Bearer" } },
    getPush: name,
    listPush: { taskId: "t" },
    deletePush: name,
    extendedCard: {},
  };

  it.each(Object.entries(requests) as [Exclude<Operation, "list">, never][])(
    "are understood by our own agent: %s",
    (operation, request) => {
      const json = travelled(protoJson(protoRequest(operation, request)));
      expect(decodeV03ProtoRequest(operation, json)).toEqual(request);
    },
  );

  it("match those of the SDK's own code", () => {
    const method = LegacyA2AService.sendMessage;
    always(ours.message, (message) => {
      const asked = protoRequest("send", { message, configuration: { returnImmediately: true } });
      const back = method.requestDeserialize(method.requestSerialize(asked as never));
      const read = decodeV03ProtoRequest("send", travelled(protoJson(back)));
      expect(read.configuration).toEqual({ returnImmediately: true });
      same(read.message.parts.length, message.parts.length);
      same(read.message.messageId, message.messageId);
    });
  });

  it("include no list request", () => {
    expect(() => protoRequest("list", {})).toThrow(expect.objectContaining({ kind: "UnsupportedOperation" }));
  });
});

describe("a v0.3 agent's ProtoJSON response (S1.28, +11)", () => {
  it("is parsed into the agent's task", () => {
    always(ours.task, (task) => {
      const read = decodeV03ProtoAnswer("get", travelled(protoJson(protoTask(task))));
      same(comparable(read), comparable(task));
    });
  });

  it("is parsed into the agent's event", () => {
    always(ours.update("task-1", "context-1"), (update) => {
      const [read] = v03ProtoEventDecoder()(travelled(protoJson(protoEvent(update))));
      same(comparable(read as StreamResponse), comparable(update));
    });
  });

  it("is parsed into a push config, or a page of them", () => {
    const config = { taskId: "t", id: "c", url: "https://a.example/" };
    const page = { configs: [config], nextPageToken: "" };
    const json = (value: unknown) => travelled(value);
    expect(decodeV03ProtoAnswer("getPush", json(v03ProtoDialect.encodeResult("getPush", config)))).toEqual(
      config,
    );
    expect(decodeV03ProtoAnswer("listPush", json(v03ProtoDialect.encodeResult("listPush", page)))).toEqual(
      page,
    );
    expect(decodeV03ProtoAnswer("listPush", {})).toEqual({ configs: [], nextPageToken: "" });
  });

  it("is accepted in v0.3 JSON too, and with numeric states", () => {
    const legacy = { kind: "task", id: "t", contextId: "c", status: { state: "canceled" } };
    expect(decodeV03ProtoAnswer("cancel", legacy).status.state).toBe("TASK_STATE_CANCELED");
    expect(decodeV03ProtoAnswer("send", legacy)).toMatchObject({ task: { id: "t" } });
    const numbered = { id: "t", status: { state: 6 } };
    expect(decodeV03ProtoAnswer("get", numbered).status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  });

  it.each([undefined, null, 7, [], {}, { task: 7 }, { task: { id: "t", status: { state: "NO" } } }])(
    "is refused if malformed: %j",
    (value) => {
      expect(() => decodeV03ProtoAnswer("send", value)).toThrow(
        expect.objectContaining({ kind: "InvalidAgentResponse" }),
      );
      expect(() => v03ProtoEventDecoder()(value)).toThrow(
        expect.objectContaining({ kind: "InvalidAgentResponse" }),
      );
    },
  );
});

/** Without what ProtoJSON of v0.3 does not tell from nothing: empty lists, false, and tasks that are referred to. */
function comparable(value: Task | StreamResponse | Message | Artifact | Part): unknown {
  return JSON.parse(JSON.stringify(value), (name, it) => {
    if (name === "referenceTaskIds") return undefined;
    if (LISTS.has(name) && Array.isArray(it) && it.length === 0) return undefined;
    return FLAGS.has(name) && it === false ? undefined : it;
  });
}
const LISTS = new Set(["artifacts", "history", "extensions"]);
const FLAGS = new Set(["append", "lastChunk"]);
