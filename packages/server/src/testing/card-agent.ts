import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type AgentDescription, agentCardJson, servedCard } from "@parley/a2a";
import { onTestFinished } from "vitest";

/** An agent on loopback of which there is a card, until it is stopped or the test ends. */
export async function startCardAgent(
  skills: AgentDescription["skills"] = [],
): Promise<{ readonly url: string; looks(host: string): number; stop(): Promise<void> }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { body } = servedCard(
    agentCardJson({
      ...{ name: "echo", description: "Says what it was told.", version: "1.0.0", skills },
      capabilities: { streaming: true, pushNotifications: false },
      interfaces: [{ url: `${url}/`, binding: "JSONRPC", dialects: ["1.0"] }],
      ...{ defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] },
    }),
  );
  const hosts: string[] = [];
  server.on("request", ({ headers }, response) => {
    hosts.push(headers.host ?? "");
    response.writeHead(200, { "Content-Type": "application/json" }).end(body);
  });
  const stop = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  onTestFinished(stop);
  /** How often its card was asked for by this name of the machine. */
  const looks = (host: string) => hosts.filter((asked) => asked.startsWith(host)).length;
  return { url, looks, stop };
}
