// The baseline: the official SDK's DefaultRequestHandler with its in-memory store, behind its JSON-RPC transport handler.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AgentCard, TaskState } from "@a2a-js/sdk";
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from "@a2a-js/sdk/server";

const executor: AgentExecutor = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const [, count = "0"] = /load-(\d+)/.exec(userMessage.messageId) ?? [];
    const status = (state: TaskState) => ({ state, message: undefined, timestamp: new Date().toISOString() });
    const ids = { taskId, contextId, metadata: undefined };
    bus.publish(
      AgentEvent.task({
        id: taskId,
        contextId,
        status: status(TaskState.TASK_STATE_SUBMITTED),
        artifacts: [],
        history: [userMessage],
        metadata: undefined,
      }),
    );
    bus.publish(AgentEvent.statusUpdate({ ...ids, status: status(TaskState.TASK_STATE_WORKING) }));
    const artifactId = randomUUID();
    for (let n = 0; n < Number(count); n++) {
      const part = {
        content: { $case: "text" as const, value: `token ${n} ` },
        metadata: undefined,
        filename: "",
        mediaType: "",
      };
      const artifact = {
        artifactId,
        name: "result",
        description: "",
        parts: [part],
        metadata: undefined,
        extensions: [],
      };
      bus.publish(AgentEvent.artifactUpdate({ ...ids, artifact, append: n > 0, lastChunk: false }));
      if (n % 100 === 0) await new Promise(setImmediate);
    }
    bus.publish(AgentEvent.statusUpdate({ ...ids, status: status(TaskState.TASK_STATE_COMPLETED) }));
    bus.finished();
  },
  async cancelTask() {},
};

const card = AgentCard.fromJSON({
  name: "peer",
  description: "peer",
  version: "1",
  capabilities: { streaming: true },
  supportedInterfaces: [{ url: "http://localhost", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
});
const transport = new JsonRpcTransportHandler(
  new DefaultRequestHandler(card, new InMemoryTaskStore(), executor),
);

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const answer = await transport.handle(body, new ServerCallContext({ requestedVersion: "1.0" }));
  if (!(Symbol.asyncIterator in answer)) {
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
    return;
  }
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  for await (const event of answer) {
    if (!response.write(`data: ${JSON.stringify(event)}\n\n`)) await once(response, "drain");
  }
  response.end();
});
server.listen(0, "127.0.0.1", () =>
  console.log(`http://localhost:${(server.address() as AddressInfo).port}`),
);
