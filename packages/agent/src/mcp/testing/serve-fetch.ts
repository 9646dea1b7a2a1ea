import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { freePort } from "@parley/testing/free-ports.ts";
import { onTestFinished } from "vitest";

/** A server on loopback, until the test ends. */
export interface ServedFetch {
  readonly origin: string;
  readonly port: number;
  /** The headers of every request so far. */
  readonly requests: readonly NodeJS.Dict<string | string[]>[];
  stop(): Promise<void>;
}

/** Serves a function of web requests over HTTP, on this port or one of its own. */
export async function serveFetch(
  handle: (request: Request) => Promise<Response>,
  port?: number,
): Promise<ServedFetch> {
  // One that nobody else gets, so that it can be stopped and come back.
  const bound = port ?? (await freePort());
  const requests: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer((request, response) => {
    requests.push(request.headers);
    void answer(request, response, handle);
  });
  await new Promise<void>((resolve) => server.listen(bound, "127.0.0.1", resolve));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onTestFinished(stop);
  return { origin: `http://127.0.0.1:${bound}`, port: bound, requests, stop };
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
  const headers = Object.entries(incoming.headers).map(
    ([name, value]) => [name, String(value)] as [string, string],
  );
  const response = await handle(
    new Request(`http://127.0.0.1${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers,
      ...(body.length > 0 ? { body: Buffer.concat(body) } : {}),
      signal: gone.signal,
    }),
  );
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  for await (const chunk of response.body ?? []) outgoing.write(chunk);
  outgoing.end();
}
