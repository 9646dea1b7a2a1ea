// An agent that streams the requested number of tokens at the requested pace, each in its own event: hand-written A2A,
// so that nothing on its side coalesces waiting tokens.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { agentCardJson } from "@parley/a2a";
import { AGENT, tokenText } from "./wording.ts";

const card = (url: string) =>
  agentCardJson({
    ...{ name: AGENT, description: "Says what it is told to.", version: "1" },
    capabilities: { streaming: true, pushNotifications: false, extensions: [] },
    interfaces: [{ url: `${url}/`, binding: "JSONRPC", dialects: ["1.0"] }],
    ...{ defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] },
    skills: [{ id: "say", name: "Say", description: "Says tokens", tags: ["say"] }],
  });

const server = createServer(async (request, response) => {
  if (request.method === "GET") {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(card(`http://${request.headers.host}`)));
    return;
  }
  let body = "";
  for await (const piece of request) body += piece;
  const { id } = JSON.parse(body);
  const number = (pattern: RegExp) => Number(pattern.exec(body)?.[1] ?? 0);
  const [count, rate] = [number(/say (\d+)/), number(/(?<!\d)(\d+) a second/)];
  const ids = { taskId: crypto.randomUUID(), contextId: crypto.randomUUID() };
  const frame = (result: object) => `data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`;
  const status = (state: string) => ({ state, timestamp: new Date().toISOString() });
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const { taskId, contextId } = ids;
  response.write(frame({ task: { id: taskId, contextId, status: status("TASK_STATE_WORKING") } }));
  for (let n = 0; n < count; n++) {
    const artifact = { artifactId: "answer", name: "current_result", parts: [{ text: tokenText(n) }] };
    const update = { ...ids, artifact, append: n > 0, lastChunk: n === count - 1 };
    if (!response.write(frame({ artifactUpdate: update }))) await once(response, "drain");
    if (rate) await pause(1_000 / rate);
  }
  response.end(frame({ statusUpdate: { ...ids, status: status("TASK_STATE_COMPLETED") } }));
});
server.listen(0, "127.0.0.1", () =>
  console.log(`http://localhost:${(server.address() as AddressInfo).port}`),
);
process.on("SIGTERM", () => process.exit(0));
