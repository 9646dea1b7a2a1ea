// The ceiling: node:http writing events that are ready, one write each, with backpressure and nothing else.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const ids = {
  taskId: "5152f41b-cf30-4f3e-8b10-155718f2bbdf",
  contextId: "b294c899-1331-46d1-83bf-c04c4592ba76",
};
const READY = Array.from({ length: 10_000 }, (_, n) => {
  const artifact = {
    artifactId: "c5be147d-d4d8-49e9-b3d4-e3537bdf9f08",
    name: "result",
    parts: [{ text: `token ${n} ` }],
  };
  const result = { artifactUpdate: { ...ids, artifact, append: true, lastChunk: false } };
  return `id: ${n}\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n\n`;
});

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const [, count = "0"] = /load-(\d+)/.exec(body) ?? [];
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  for (let n = 0; n < Number(count); n++) {
    if (!response.write(READY[n % READY.length])) await once(response, "drain");
  }
  response.end();
});
server.listen(0, "127.0.0.1", () =>
  console.log(`http://localhost:${(server.address() as AddressInfo).port}`),
);
