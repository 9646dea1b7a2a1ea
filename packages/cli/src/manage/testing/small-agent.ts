import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** For tests: an address at which there is a card, with these members instead of its own, and nothing else. */
export async function cardAt(members: (url: string) => object = () => ({})): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const card = {
    ...{ name: "small", description: "Says little.", version: "1.0.0", skills: [] },
    capabilities: { streaming: true },
    supportedInterfaces: [{ url: `${url}/`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    ...{ defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] },
    ...members(url),
  };
  server.on("request", (_, response) =>
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(card)),
  );
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return url;
}
