import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { AgentCard, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { AgentEvent, type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import express from "express";
import { peerCard } from "../../peers/peer-card.ts";
import { listening } from "../../peers/peer-server.ts";

/** Options that reveal a defect of the SDK's request handler. */
export interface FrailAgentOptions {
  /** Pieces of each answer. */
  readonly pieces?: number;
  /** Milliseconds between two pieces; 0 is one turn of the event loop. */
  readonly pause?: number;
  /** Milliseconds that storing and loading take, as with any database. */
  readonly storage?: number;
}

/** An agent made with the SDK 1.3.0 as its documentation shows, whose executor finishes its sentence before it cancels. */
export async function startFrailSdkAgent(options: FrailAgentOptions = {}) {
  const { pieces = 40, pause = 2, storage = 0 } = options;
  const canceled = new Set<string>();
  const executor: AgentExecutor = {
    async execute({ taskId, contextId }, bus) {
      const names = { taskId, contextId };
      const say = (state: string) => {
        const status = { state, timestamp: new Date().toISOString() };
        bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ ...names, status })));
      };
      const submitted = { id: taskId, contextId, status: { state: "TASK_STATE_SUBMITTED" } };
      bus.publish(AgentEvent.task(Task.fromJSON(submitted)));
      say("TASK_STATE_WORKING");
      let left = 10;
      for (let place = 0; place < pieces && left > 0; place++) {
        const artifact = { artifactId: "result", parts: [{ text: `${place} ` }] };
        const update = { ...names, artifact, append: place > 0 };
        bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(update)));
        await (pause > 0 ? sleep(pause) : nextTurn());
        if (canceled.has(taskId)) left--;
      }
      say(left > 0 ? "TASK_STATE_COMPLETED" : "TASK_STATE_CANCELED");
      bus.finished();
    },
    async cancelTask(taskId) {
      canceled.add(taskId);
    },
  };
  const app = express();
  const server = await listening(app);
  const card = AgentCard.fromJSON({
    ...peerCard(server.url, { name: "frail", dialect: "1.0" }),
    supportedInterfaces: [{ url: `${server.url}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  });
  const requestHandler = new DefaultRequestHandler(card, new SlowTaskStore(storage), executor);
  const userBuilder = UserBuilder.noAuthentication;
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
  app.use("/rpc", jsonRpcHandler({ requestHandler, userBuilder }));
  return server;
}

/** The SDK's own store, with the time that a real one takes. */
class SlowTaskStore extends InMemoryTaskStore {
  readonly #milliseconds: number;

  constructor(milliseconds: number) {
    super();
    this.#milliseconds = milliseconds;
  }

  override async save(...task: Parameters<InMemoryTaskStore["save"]>) {
    await this.#wait();
    return super.save(...task);
  }

  override async load(...names: Parameters<InMemoryTaskStore["load"]>) {
    await this.#wait();
    return super.load(...names);
  }

  async #wait(): Promise<void> {
    if (this.#milliseconds > 0) await sleep(this.#milliseconds);
  }
}
