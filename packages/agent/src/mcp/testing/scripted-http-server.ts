import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";
import { scriptedServer } from "./scripted-tools.ts";

/** A scripted MCP server over streamable HTTP on loopback, until the test ends. */
export interface ScriptedHttpServer {
  readonly url: string;
  readonly port: number;
  /** The headers of every request so far. */
  readonly requests: readonly NodeJS.Dict<string | string[]>[];
  /** Tells the clients that the tools changed. */
  toolsChanged(): void;
  stop(): Promise<void>;
}

/** Starts one, on a port of its own or on this one. */
export async function scriptedHttpServer(
  options: { port?: number; text?: string } = {},
): Promise<ScriptedHttpServer> {
  const handler = createMcpHandler(() => scriptedServer(options.text ?? ""));
  const requests: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer((request, response) => {
    requests.push(request.headers);
    void answer(request, response, handler.fetch);
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    await handler.close();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onTestFinished(stop);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    requests,
    toolsChanged: () => handler.notify.toolsChanged(),
    stop,
  };
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const body: Buffer[] = [];
  for await (const chunk of incoming) body.push(chunk as Buffer);
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const response = await handle(
    new Request(`http://127.0.0.1${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers: Object.entries(incoming.headers).map(
        ([name, value]) => [name, String(value)] as [string, string],
      ),
      ...(body.length > 0 ? { body: Buffer.concat(body) } : {}),
      signal: gone.signal,
    }),
  );
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  for await (const chunk of response.body ?? []) outgoing.write(chunk);
  outgoing.end();
}
