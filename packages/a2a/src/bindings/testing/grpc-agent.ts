import { GetTaskRequest, SendMessageRequest } from "@a2a-js/sdk";
import type { GrpcCall } from "../grpc/grpc-calls.ts";
import { type GrpcLimits, type GrpcServer, startGrpcServer } from "../grpc/grpc-server.ts";
import { UnauthenticatedError } from "../http-error.ts";
import { GrpcCaller } from "./grpc-client.ts";
import { type ScriptedAgent, scriptedAgent } from "./scripted-agent.ts";

/** For tests: an agent over gRPC, and someone who calls it as alice or, by the header `owner`, as another. */
export interface GrpcAgent {
  readonly agent: ScriptedAgent;
  readonly server: GrpcServer;
  readonly caller: GrpcCaller;
  /** The internal errors that were reported. */
  readonly reported: unknown[];
  /** Begins a task and returns its id. */
  begin(text: string): Promise<string>;
  /** The number of a task's state. */
  stateOf(id: string): Promise<number>;
  stop(): Promise<void>;
}

/** Starts it on a port of its own. */
export async function startGrpcAgent(
  agent: ScriptedAgent = scriptedAgent(),
  limits: Partial<GrpcLimits> = {},
): Promise<GrpcAgent> {
  const reported: unknown[] = [];
  const server = await startGrpcServer({
    host: "127.0.0.1",
    port: 0,
    operations: agent.operations,
    ownerOf,
    isAuthenticated: ({ metadata }) => metadata.get("authorization").length > 0,
    report: (error) => reported.push(error),
    limits: { graceMs: 50, ...limits },
  });
  const caller = new GrpcCaller(server.port, "1.0");
  return {
    agent,
    server,
    caller,
    reported,
    async begin(text) {
      const request = sendRequest(text, { configuration: { returnImmediately: true } });
      const answer = (await caller.ask("sendMessage", request)) as { payload: { value: { id: string } } };
      return answer.payload.value.id;
    },
    async stateOf(id) {
      const task = (await caller.ask("getTask", GetTaskRequest.fromJSON({ id }))) as {
        status: { state: number };
      };
      return task.status.state;
    },
    async stop() {
      caller.close();
      await server.stop();
      await agent.close();
    },
  };
}

function ownerOf({ metadata }: GrpcCall): string {
  const owner = metadata.get("owner")[0]?.toString() ?? "alice";
  if (owner === "nobody") throw new UnauthenticatedError("This agent");
  return owner;
}

/** A message with this text, and other members of the request. */
export function sendRequest(text: string, more: object = {}): SendMessageRequest {
  return SendMessageRequest.fromJSON({ message: userMessage(text), ...more });
}

/** A message in JSON, with these members instead of its own. */
export function userMessage(text: string, more: object = {}): object {
  return { messageId: "m", role: "ROLE_USER", parts: [{ text }], ...more };
}
