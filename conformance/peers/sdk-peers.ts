import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentCard, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { AgentEvent, type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import * as legacy from "a2a-sdk-legacy/server";
import * as legacyExpress from "a2a-sdk-legacy/server/express";
import express from "express";
import type { Peer, PeerOptions, PeerRequest } from "./peer.ts";
import { peerCard } from "./peer-card.ts";
import { listening, readCall } from "./peer-server.ts";

/** The answer of an SDK peer, and its pace. */
export interface SdkPeerOptions extends PeerOptions {
  readonly tokens?: readonly string[];
  /** Milliseconds between two tokens. */
  readonly pause?: number;
  /** What the last piece carries. */
  readonly data?: Readonly<Record<string, string | number>>;
}

/** The default answer of both. */
export const SDK_TOKENS = ["The", " keys", " are", " below."];
const KEYS = { keys: 2, provider: "example" };
const ARTIFACT = { artifactId: "complete_result", name: "complete_result", description: "The whole answer" };

/** An agent made with the official SDK 0.3.14: `complete_result` is created, appended to, and ends with data. */
export async function startLegacySdkPeer(options: SdkPeerOptions = {}): Promise<Peer> {
  const { tokens = SDK_TOKENS, pause = 1, data = KEYS } = options;
  const canceled: string[] = [];
  const executor: legacy.AgentExecutor = {
    async execute({ taskId, contextId }, bus) {
      const names = { taskId, contextId };
      const say = (state: "working" | "completed", final: boolean) =>
        bus.publish({ kind: "status-update", ...names, status: { state, timestamp: now() }, final });
      const tell = (part: { kind: "text"; text: string } | { kind: "data"; data: object }, place: number) =>
        bus.publish({
          ...{
            kind: "artifact-update" as const,
            ...names,
            append: place > 0,
            lastChunk: place === tokens.length,
          },
          artifact: { ...ARTIFACT, parts: [part as { kind: "text"; text: string }] },
        });
      bus.publish({ kind: "task", id: taskId, contextId, status: { state: "submitted", timestamp: now() } });
      say("working", false);
      for (const [place, text] of tokens.entries()) {
        tell({ kind: "text", text }, place);
        await sleep(pause);
        if (canceled.includes(taskId)) return;
      }
      tell({ kind: "data", data }, tokens.length);
      say("completed", true);
      bus.finished();
    },
    async cancelTask(taskId, bus) {
      canceled.push(taskId);
      const status = { state: "canceled" as const, timestamp: now() };
      bus.publish({ kind: "status-update", taskId, contextId: "", status, final: true });
      bus.finished();
    },
  };
  const { app, requests, server } = await serving();
  const about = peerCard(`${server.url}/`, { name: "legacy-sdk", ...options, dialect: "0.3" });
  const card = about as unknown as ConstructorParameters<typeof legacy.DefaultRequestHandler>[0];
  const handler = new legacy.DefaultRequestHandler(card, new legacy.InMemoryTaskStore(), executor);
  new legacyExpress.A2AExpressApp(handler).setupRoutes(app);
  return { ...server, requests, canceled };
}

/** The same agent made with the official SDK 1.3.0: v1.0, and v0.3 by its compatibility layer, or one of them. */
export async function startSdkPeer(
  options: SdkPeerOptions & { readonly dialects?: readonly ("1.0" | "0.3")[] } = {},
): Promise<Peer> {
  const { tokens = SDK_TOKENS, pause = 1, data = KEYS } = options;
  const canceled: string[] = [];
  const executor: AgentExecutor = {
    async execute({ taskId, contextId }, bus) {
      const names = { taskId, contextId };
      const say = (state: string) =>
        bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ ...names, status: { state } })));
      const tell = (part: object, place: number) => {
        const flags = { append: place > 0, lastChunk: place === tokens.length };
        const update = { ...names, artifact: { ...ARTIFACT, parts: [part] }, ...flags };
        bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(update)));
      };
      const submitted = { id: taskId, contextId, status: { state: "TASK_STATE_SUBMITTED" } };
      bus.publish(AgentEvent.task(Task.fromJSON(submitted)));
      say("TASK_STATE_WORKING");
      for (const [place, text] of tokens.entries()) {
        tell({ text }, place);
        await sleep(pause);
        if (canceled.includes(taskId)) return;
      }
      tell({ data }, tokens.length);
      say("TASK_STATE_COMPLETED");
      bus.finished();
    },
    async cancelTask(taskId, bus) {
      canceled.push(taskId);
      const update = { taskId, contextId: "", status: { state: "TASK_STATE_CANCELED" } };
      bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(update)));
      bus.finished();
    },
  };
  const { app, requests, server } = await serving();
  const supportedInterfaces = (options.dialects ?? ["1.0", "0.3"]).map((protocolVersion) => {
    return { url: `${server.url}/rpc`, protocolBinding: "JSONRPC", protocolVersion };
  });
  const about = peerCard(server.url, { name: "sdk", ...options, dialect: "1.0" });
  const card = AgentCard.fromJSON({ ...about, supportedInterfaces });
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const userBuilder = UserBuilder.noAuthentication;
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
  app.use("/rpc", jsonRpcHandler({ requestHandler, userBuilder, legacyCompat: { enabled: true } }));
  return { ...server, requests, canceled };
}

/** An Express application on a free port; what is posted to it is noted first. */
async function serving() {
  const app = express();
  const requests: PeerRequest[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === "POST") {
      const { body, call } = await readCall(request);
      requests.push(call);
      // Express uses this when the body has already been read.
      Object.assign(request, { body });
    }
    app(request, response);
  };
  const server = await listening((request, response) => {
    serve(request, response).catch((error) => response.destroy(error));
  });
  return { app, requests, server };
}

function now(): string {
  return new Date().toISOString();
}
