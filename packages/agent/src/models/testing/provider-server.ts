import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { WireFailure } from "./wire.ts";

export interface SeenRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface ProviderServer {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
}

/** Answers one request; the last of a list answers all that come after it. */
export type Answer = (response: ServerResponse) => void | Promise<void>;

/** A real endpoint on loopback that gives these answers in turn and ends with the test. */
export async function providerServer(...answers: readonly [Answer, ...Answer[]]): Promise<ProviderServer> {
  const requests: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const body: unknown = JSON.parse(await text(request));
    requests.push({ url: request.url ?? "", headers: request.headers, body });
    await answers[Math.min(requests.length, answers.length) - 1]?.(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Streams these frames, and then ends the answer. */
export function streamed(frames: readonly string[]): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(frames.join(""));
  };
}

/** Streams these frames and then breaks the connection, once they have left. */
export function cutAfter(frames: readonly string[]): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(frames.join(""), () => setImmediate(() => response.destroy()));
  };
}

/** Streams these frames and says no more. */
export function stalledAfter(frames: readonly string[]): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(frames.join(""));
  };
}

/** Refuses. */
export function refused({ status, headers, body }: WireFailure): Answer {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };
}
