import * as sdk from "@a2a-js/sdk";
import { LegacyJsonRpcTransport } from "@a2a-js/sdk/compat/v0_3/client";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { type A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, SendRequest, StreamResponse, Task } from "../protocol/model.ts";
import type { UnaryOperation } from "./dialect.ts";
import * as ours from "./testing/canonical-arbitraries.ts";
import { always, same, stored, travelled } from "./testing/properties.ts";
import { v1Dialect } from "./v1/dialect.ts";
import { v03Dialect } from "./v03/dialect.ts";

/** What the SDK can keep: no empty lists, no flags that are false, no null data, names only on files. */
function kept<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return arbitrary.map(pruned);
}

function pruned<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), prune);
}

function prune(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const isNamed = !("text" in value) && !("data" in value);
  const entries = Object.entries(value).filter(([name, member]) => {
    if (name === "filename" || name === "mediaType") return isNamed;
    if (name === "append" || name === "lastChunk") return member !== false;
    if (name === "configuration" || name === "metadata") return Object.keys(member).length > 0;
    return name === "data" || !(Array.isArray(member) && member.length === 0);
  });
  return Object.fromEntries(
    entries.map(([name, it]) => (name === "data" && it === null ? [name, {}] : [name, it])),
  );
}

const task = kept(ours.task);
const stream = kept(ours.taskStream);
const context = () => new ServerCallContext();

describe("the SDK 1.3.0 and our v1.0 (+11)", () => {
  it("understands our tasks, and we its own", () => {
    always(task, (it) => {
      const theirs = sdk.Task.toJSON(sdk.Task.fromJSON(v1Dialect.encodeResult("get", it)));
      same(v1Dialect.decodeResult("get", travelled(theirs)), it);
    });
  });

  it("understands our events, and we its own", () => {
    always(stream, (events) => {
      const encode = v1Dialect.eventEncoder(() => 0);
      const decode = v1Dialect.eventDecoder();
      for (const event of events) {
        const [json = ""] = encode(stored(event));
        const theirs = sdk.StreamResponse.toJSON(sdk.StreamResponse.fromJSON(JSON.parse(json)));
        same(decode(travelled(theirs)), [event]);
      }
    });
  });

  it("understands our requests, and we its own", () => {
    always(kept(ours.sendRequest), (request) => {
      const params = v1Dialect.encodeRequest("send", request);
      const theirs = sdk.SendMessageRequest.toJSON(sdk.SendMessageRequest.fromJSON(params));
      same(v1Dialect.decodeRequest("send", travelled(theirs)), request);
    });
  });

  it("understands our push configs and pages, and we its own", () => {
    always(ours.pushConfig, (config) => {
      const encoded = v1Dialect.encodeResult("getPush", config);
      const theirs = sdk.TaskPushNotificationConfig.toJSON(sdk.TaskPushNotificationConfig.fromJSON(encoded));
      same(v1Dialect.decodeResult("getPush", travelled(theirs)), config);
    });
    always(kept(ours.listResponse), (page) => {
      const encoded = v1Dialect.encodeResult("list", page);
      const theirs = sdk.ListTasksResponse.toJSON(sdk.ListTasksResponse.fromJSON(encoded));
      same(pruned(v1Dialect.decodeResult("list", travelled(theirs))), page);
    });
  });
});

/** The SDK's v0.3 client, wired to what our dialect answers; `heard` is what it asked, as we read it. */
function sdkClient(answer: { readonly result: Json } | { readonly events: readonly string[] }) {
  const heard: unknown[] = [];
  const fetchImpl = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const { id, method, params } = JSON.parse(String(init?.body));
    const operation = v03Dialect.operationOf(method);
    if (operation === undefined) throw new Error(`no method ${method}`);
    heard.push(v03Dialect.decodeRequest(operation, params));
    const envelope = (result: string) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
    if ("result" in answer) return Response.json(JSON.parse(envelope(JSON.stringify(answer.result))));
    const frames = answer.events.map((json) => `data: ${envelope(json)}\n\n`).join("");
    return new Response(frames, { headers: { "content-type": "text/event-stream" } });
  };
  const client = new LegacyJsonRpcTransport({ endpoint: "http://agent.example", fetchImpl });
  return { client, heard };
}

describe("the SDK's v0.3 client and our v0.3 (+11)", () => {
  it("reads our tasks", async () => {
    const check = fc.asyncProperty(task, async (it) => {
      const { client, heard } = sdkClient({ result: v03Dialect.encodeResult("get", it) });
      const request = sdk.GetTaskRequest.fromJSON({ id: it.id, historyLength: 3 });
      const theirs = sdk.Task.toJSON(await client.getTask(request));
      same(v1Dialect.decodeResult("get", travelled(theirs)), it);
      same(heard, [{ id: it.id, historyLength: 3 }]);
    });
    await fc.assert(check);
  });

  it("reads our streams, and its requests are readable", async () => {
    const check = fc.asyncProperty(stream, kept(ours.sendRequest), async (events, request) => {
      const encode = v03Dialect.eventEncoder(() => 0);
      const { client, heard } = sdkClient({ events: events.flatMap((event) => encode(stored(event))) });
      const received: StreamResponse[] = [];
      const params = sdk.SendMessageRequest.fromJSON(v1Dialect.encodeRequest("stream", request));
      for await (const event of client.sendMessageStream(params)) {
        received.push(...v1Dialect.eventDecoder()(travelled(sdk.StreamResponse.toJSON(event))));
      }
      same(received, events);
      same(pruned(heard), [request]);
    });
    await fc.assert(check, { numRuns: 50 });
  });
});

/** The SDK's v0.3 server with one task to give; `asked` is the last request it understood. */
function sdkServer(it: Task) {
  const asked: SendRequest[] = [];
  const answer = async () => sdk.Task.fromJSON(it);
  const handler = {
    getTask: answer,
    cancelTask: answer,
    sendMessage: async (request: sdk.SendMessageRequest) => {
      asked.push(v1Dialect.decodeRequest("send", travelled(sdk.SendMessageRequest.toJSON(request))));
      return answer();
    },
  } as Partial<A2ARequestHandler> as A2ARequestHandler;
  const server = new LegacyJsonRpcTransportHandler(handler);
  const call = async (operation: UnaryOperation, params: Json): Promise<unknown> => {
    const method = v03Dialect.methodOf(operation);
    const response = await server.handle({ jsonrpc: "2.0", id: 1, method, params }, context());
    return travelled(response);
  };
  return { call, asked };
}

describe("the SDK's v0.3 server and our v0.3 (+11)", () => {
  it("accepts our requests and sends readable responses", async () => {
    const check = fc.asyncProperty(task, kept(ours.sendRequest), async (it, request) => {
      const { call, asked } = sdkServer(it);
      const response = await call("send", v03Dialect.encodeRequest("send", request));
      expect(response).toHaveProperty("result");
      same(v03Dialect.decodeResult("send", (response as { result: unknown }).result), { task: it });
      same(pruned(asked), [request]);
    });
    await fc.assert(check, { numRuns: 50 });
  });
});
