import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { A2AClient, agentCardJson } from "@parley/a2a";
import { patient } from "@parley/testing/patient.ts";
import { expect, it, onTestFinished } from "vitest";
import { cancelDelegate } from "./delegate-stream.ts";

/** An agent that shows its card, and answers nothing else. */
async function silentAgent(): Promise<A2AClient> {
  const server = createServer((request, response) => {
    if (request.method === "GET") response.setHeader("content-type", "application/json").end(card);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const card = JSON.stringify(
    agentCardJson({
      ...{ name: "silent", description: "Says nothing", version: "1.0.0", skills: [] },
      capabilities: { streaming: true, pushNotifications: false, extensions: [] },
      interfaces: [{ url: `${url}/`, binding: "JSONRPC", dialects: ["1.0"] }],
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
    }),
  );
  return A2AClient.connect(url, { policy: { allowOrigins: [url] } });
}

it("cancelDelegate does not wait beyond the deadline for an agent that does not answer (+2)", async () => {
  const client = await silentAgent();
  const message = { messageId: "m", contextId: "c", role: "ROLE_USER" as const, parts: [{ text: "go" }] };
  const known = { id: "1", began: { agent: "silent", key: "m" } };
  const canceled = await cancelDelegate(client, { known, message, withinMs: 300 });
  expect(canceled.acknowledged).toBe(false);
  expect(canceled.ms).toBeLessThan(patient(3_000));
});
