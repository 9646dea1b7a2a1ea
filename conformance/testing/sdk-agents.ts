import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { LegacyA2AService, legacyGrpcService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import { AgentEvent, type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import { A2AService, grpcService } from "@a2a-js/sdk/server/grpc";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import * as legacy from "a2a-sdk-legacy/server";
import * as legacyExpress from "a2a-sdk-legacy/server/express";
import * as legacyGrpc from "a2a-sdk-legacy/server/grpc";
import express from "express";

export interface SdkAgent {
  readonly url: string;
  stop(): Promise<void>;
}

const skills = [{ id: "s", name: "s", description: "s", tags: ["s"] }];
const modes = { defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] };
const about = { name: "SDK agent", description: "Echoes", version: "1", skills, ...modes };
/** The tasks that were cancelled, by either agent. */
const canceled = new Set<string>();

/** The pieces of a text, some of them alike, and cut inside characters unless the message is called `whole-`. */
function* piecesOf(text: string, messageId: string): Generator<string> {
  const units = messageId.startsWith("whole-") ? [...text] : text.split("");
  for (let start = 0, n = 0; start < units.length; n++) {
    const size = 1 + ((n * 7) % 11);
    yield units.slice(start, start + size).join("");
    start += size;
  }
}

const executor: AgentExecutor = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const { messageId, parts } = userMessage;
    const text = parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("");
    const names = { taskId, contextId };
    const say = (state: string) =>
      bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ ...names, status: { state } })));
    if (messageId.startsWith("message-")) {
      const answer = { messageId: "m", role: "ROLE_AGENT", parts: [{ text }] };
      bus.publish(AgentEvent.message(Message.fromJSON(answer)));
      return bus.finished();
    }
    const submitted = { id: taskId, contextId, status: { state: "TASK_STATE_SUBMITTED" } };
    bus.publish(AgentEvent.task(Task.fromJSON(submitted)));
    say("TASK_STATE_WORKING");
    let append = false;
    for (const piece of piecesOf(text, messageId)) {
      const artifact = { artifactId: "a", parts: [{ text: piece }] };
      bus.publish(
        AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON({ ...names, artifact, append })),
      );
      append = true;
      await sleep(pauseOf(messageId));
      if (canceled.has(taskId)) return;
    }
    say("TASK_STATE_COMPLETED");
    bus.finished();
  },
  async cancelTask(taskId, bus) {
    canceled.add(taskId);
    const update = { taskId, contextId: "", status: { state: "TASK_STATE_CANCELED" } };
    bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(update)));
    bus.finished();
  },
};

/** An agent made with the official SDK 1.3.0: v1.0, and v0.3 by its compatibility layer, over every binding. */
export async function startSdkAgent(): Promise<SdkAgent> {
  const app = express();
  const grpc = new Server();
  const agent = await start(app, grpc);
  const at = (url: string, protocolBinding: string) =>
    ["1.0", "0.3"].map((protocolVersion) => ({ url, protocolBinding, protocolVersion }));
  const card = AgentCard.fromJSON({
    ...about,
    capabilities: { streaming: true, pushNotifications: true },
    supportedInterfaces: [
      ...at(`${agent.url}/rpc`, "JSONRPC"),
      ...at(`${agent.url}/rest`, "HTTP+JSON"),
      ...at(agent.grpcTarget, "GRPC"),
    ],
  });
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const userBuilder = UserBuilder.noAuthentication;
  const options = { requestHandler, userBuilder, legacyCompat: { enabled: true } };
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
  app.use("/rpc", jsonRpcHandler(options));
  app.use("/rest", restHandler(options));
  grpc.addService(A2AService, grpcService({ requestHandler, userBuilder }));
  grpc.addService(LegacyA2AService, legacyGrpcService({ requestHandler, userBuilder }));
  return agent;
}

const legacyExecutor: legacy.AgentExecutor = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const { messageId, parts } = userMessage;
    const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
    const timestamp = new Date().toISOString();
    const names = { taskId, contextId };
    if (messageId.startsWith("message-")) {
      bus.publish({ kind: "message", messageId: "m", role: "agent", parts: [{ kind: "text", text }] });
      return bus.finished();
    }
    bus.publish({ kind: "task", id: taskId, contextId, status: { state: "submitted", timestamp } });
    bus.publish({ kind: "status-update", ...names, status: { state: "working", timestamp }, final: false });
    let append = false;
    for (const piece of piecesOf(text, messageId)) {
      const artifact = { artifactId: "a", parts: [{ kind: "text" as const, text: piece }] };
      bus.publish({ kind: "artifact-update", ...names, artifact, append });
      append = true;
      await sleep(pauseOf(messageId));
      if (canceled.has(taskId)) return;
    }
    bus.publish({ kind: "status-update", ...names, status: { state: "completed", timestamp }, final: true });
    bus.finished();
  },
  async cancelTask(taskId, bus) {
    canceled.add(taskId);
    const status = { state: "canceled" as const, timestamp: new Date().toISOString() };
    bus.publish({ kind: "status-update", taskId, contextId: "", status, final: true });
    bus.finished();
  },
};

/** An agent made with the official SDK 0.3.14, as most that run today are, over every binding. */
export async function startLegacySdkAgent(): Promise<SdkAgent> {
  const app = express();
  const grpc = new Server();
  const agent = await start(app, grpc);
  const card = {
    ...about,
    url: `${agent.url}/`,
    protocolVersion: "0.3.0",
    preferredTransport: "JSONRPC",
    additionalInterfaces: [
      { url: `${agent.url}/rest`, transport: "HTTP+JSON" },
      { url: agent.grpcTarget, transport: "GRPC" },
    ],
    capabilities: { streaming: true, pushNotifications: true },
  };
  const store = new legacy.InMemoryTaskStore();
  const requestHandler = new legacy.DefaultRequestHandler(card, store, legacyExecutor);
  const { A2AExpressApp, restHandler: legacyRestHandler, UserBuilder: users } = legacyExpress;
  new A2AExpressApp(requestHandler).setupRoutes(app);
  app.use("/rest", legacyRestHandler({ requestHandler, userBuilder: users.noAuthentication }));
  const userBuilder = legacyGrpc.UserBuilder.noAuthentication;
  grpc.addService(legacyGrpc.A2AService, legacyGrpc.grpcService({ requestHandler, userBuilder }));
  return agent;
}

/** `any-M`: M milliseconds between two pieces. */
function pauseOf(messageId: string): number {
  return Number(/-(\d+)/.exec(messageId)?.[1] ?? 0);
}

interface StartedAgent extends SdkAgent {
  /** Where its gRPC is, as cards write it. */
  readonly grpcTarget: string;
}

async function start(listener: RequestListener, grpc: Server): Promise<StartedAgent> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const grpcPort = await new Promise<number>((resolve, reject) => {
    const bound = (error: Error | null, port: number) => (error ? reject(error) : resolve(port));
    grpc.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), bound);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    grpcTarget: `127.0.0.1:${grpcPort}`,
    async stop() {
      grpc.forceShutdown();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
