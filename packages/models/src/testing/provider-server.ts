import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { WireFailure } from "./wire.ts";

interface SeenRequest {
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

/** The reader, which has the same event loop, gets every frame by itself. */
const TURNS_BETWEEN_FRAMES = 8;

/** Streams these frames, one after the other, and then ends the answer. */
export function streamed(frames: readonly string[]): Answer {
  return async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of frames) {
      response.write(frame);
      for (let turn = 0; turn < TURNS_BETWEEN_FRAMES; turn++) await setImmediate();
    }
    response.end();
  };
}

/** Sends all these frames in one piece, as a provider does that is quicker than its reader. */
export function atOnce(frames: readonly string[]): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(frames.join(""));
  };
}

/** Streams these frames and then breaks the connection, once they have left. */
export function cutAfter(frames: readonly string[]): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(frames.join(""), () => void setImmediate().then(() => response.destroy()));
  };
}

/** Streams these frames and nothing else. */
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
