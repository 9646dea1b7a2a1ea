import * as sdk from "@a2a-js/sdk";
import * as v1 from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import { LegacyJsonRpcTransport, LegacyRestTransport } from "@a2a-js/sdk/compat/v0_3/client";
import { LegacyGrpcTransport } from "@a2a-js/sdk/compat/v0_3/client/grpc";
import type { ListTasksResponse, Message, StreamResponse, Task } from "@parley/a2a";
import * as v03 from "a2a-sdk-legacy/client";
import { GrpcTransportFactory as LegacyGrpcTransportFactory } from "a2a-sdk-legacy/client/grpc";
import type { ConformanceAgent } from "../conformance-agent.ts";
import { fromLegacyEvent, fromLegacyMessage, fromLegacyTask, toLegacyMessage } from "./legacy-shapes.ts";

interface SendOptions {
  readonly returnImmediately?: boolean;
}

/** An official client of one release over one binding, in the words of our model. */
export interface InteropClient {
  send(message: Message, options?: SendOptions): Promise<{ task: Task } | { message: Message }>;
  stream(message: Message): AsyncIterable<StreamResponse>;
  get(id: string, historyLength?: number): Promise<Task>;
  cancel(id: string): Promise<Task>;
  subscribe(id: string): AsyncIterable<StreamResponse>;
  /** The class of the error when a stream is refused: one client reads nothing where it waits for frames. */
  readonly streamRefusal: "UnsupportedOperationError" | "Error";
  /** Only v1.0 has it. */
  list?(contextId: string): Promise<ListTasksResponse>;
}

type Connect = (agent: ConformanceAgent) => Promise<InteropClient>;

/** Every official client that there is, by release, dialect and binding. */
export const INTEROP_CLIENTS: Readonly<Record<string, Connect>> = {
  "SDK 1.3.0, v1.0 over JSON-RPC": (agent) => modern(agent, "JSONRPC"),
  "SDK 1.3.0, v1.0 over REST": (agent) => modern(agent, "HTTP+JSON"),
  "SDK 1.3.0, v1.0 over gRPC": (agent) => modern(agent, "GRPC"),
  "SDK 1.3.0, v0.3 over JSON-RPC": async ({ url }) =>
    withCore(new LegacyJsonRpcTransport({ endpoint: `${url}/a2a/jsonrpc` })),
  "SDK 1.3.0, v0.3 over REST": async ({ url }) =>
    withCore(new LegacyRestTransport({ endpoint: `${url}/a2a/rest` })),
  "SDK 1.3.0, v0.3 over gRPC": async ({ grpcPort }) =>
    withCore(new LegacyGrpcTransport({ endpoint: `localhost:${grpcPort}` })),
  "SDK 0.3.14, v0.3 over JSON-RPC": (agent) => legacy(agent, "JSONRPC"),
  "SDK 0.3.14, v0.3 over REST": (agent) => legacy(agent, "HTTP+JSON"),
  "SDK 0.3.14, v0.3 over gRPC": (agent) => legacy(agent, "GRPC"),
};

/** What the SDK's client and its transports have in common. */
interface Core {
  sendMessage(request: sdk.SendMessageRequest): Promise<sdk.Message | sdk.Task>;
  sendMessageStream(request: sdk.SendMessageRequest): AsyncIterable<sdk.StreamResponse>;
  getTask(request: sdk.GetTaskRequest): Promise<sdk.Task>;
  cancelTask(request: sdk.CancelTaskRequest): Promise<sdk.Task>;
  resubscribeTask(request: sdk.SubscribeToTaskRequest): AsyncIterable<sdk.StreamResponse>;
}

async function modern({ url }: ConformanceAgent, binding: string): Promise<InteropClient> {
  const transports = [
    new v1.JsonRpcTransportFactory(),
    new v1.RestTransportFactory(),
    new GrpcTransportFactory(),
  ];
  const clients = new v1.ClientFactory({ transports, preferredTransports: [binding] });
  const client = await clients.createFromUrl(url);
  const list = async (contextId: string) =>
    sdk.ListTasksResponse.toJSON(
      await client.listTasks(sdk.ListTasksRequest.fromJSON({ contextId, includeArtifacts: true })),
    ) as ListTasksResponse;
  return { ...withCore(client), list };
}

function withCore(core: Core): InteropClient {
  const request = (message: Message, configuration?: object) =>
    sdk.SendMessageRequest.fromJSON({ message, ...(configuration && { configuration }) });
  return {
    streamRefusal: "UnsupportedOperationError",
    async send(message, options) {
      const answer = await core.sendMessage(request(message, options));
      return "messageId" in answer
        ? { message: sdk.Message.toJSON(answer) as Message }
        : { task: sdk.Task.toJSON(answer) as Task };
    },
    stream: (message) => asJson(core.sendMessageStream(request(message))),
    get: async (id, historyLength) =>
      sdk.Task.toJSON(await core.getTask(sdk.GetTaskRequest.fromJSON({ id, historyLength }))) as Task,
    cancel: async (id) =>
      sdk.Task.toJSON(await core.cancelTask(sdk.CancelTaskRequest.fromJSON({ id }))) as Task,
    subscribe: (id) => asJson(core.resubscribeTask(sdk.SubscribeToTaskRequest.fromJSON({ id }))),
  };
}

async function* asJson(events: AsyncIterable<sdk.StreamResponse>): AsyncIterable<StreamResponse> {
  for await (const event of events) yield sdk.StreamResponse.toJSON(event) as StreamResponse;
}

async function legacy({ url }: ConformanceAgent, binding: string): Promise<InteropClient> {
  const transports = [
    new v03.JsonRpcTransportFactory(),
    new v03.RestTransportFactory(),
    new LegacyGrpcTransportFactory(),
  ];
  const clients = new v03.ClientFactory({ transports, preferredTransports: [binding] });
  const client = await clients.createFromUrl(url);
  return {
    streamRefusal: binding === "JSONRPC" ? "Error" : "UnsupportedOperationError",
    async send(message, options) {
      const configuration = { blocking: !options?.returnImmediately };
      const answer = await client.sendMessage({ message: toLegacyMessage(message), configuration });
      return answer.kind === "task"
        ? { task: fromLegacyTask(answer) }
        : { message: fromLegacyMessage(answer) };
    },
    stream: (message) => asModel(client.sendMessageStream({ message: toLegacyMessage(message) })),
    get: async (id, historyLength) =>
      fromLegacyTask(await client.getTask({ id, ...(historyLength !== undefined && { historyLength }) })),
    cancel: async (id) => fromLegacyTask(await client.cancelTask({ id })),
    subscribe: (id) => asModel(client.resubscribeTask({ id })),
  };
}

async function* asModel(
  events: AsyncIterable<Parameters<typeof fromLegacyEvent>[0]>,
): AsyncIterable<StreamResponse> {
  for await (const event of events) yield fromLegacyEvent(event);
}
