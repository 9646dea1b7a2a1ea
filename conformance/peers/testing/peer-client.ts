import { A2AClient, type StreamResponse } from "@parley/a2a";
import { onTestFinished } from "vitest";
import { request } from "../../testing/agent-client.ts";
import type { Peer } from "../peer.ts";

/** The peer, stopped at the end of the test. */
export async function during<P extends Pick<Peer, "stop">>(starting: Promise<P>): Promise<P> {
  const peer = await starting;
  onTestFinished(() => peer.stop());
  return peer;
}

/** Our client for a peer, with negligible retry delays. */
export function connect(url: string): Promise<A2AClient> {
  const quickRetry = { tries: 2, firstDelayMs: 1, maxDelayMs: 5 };
  return A2AClient.connect(url, {
    policy: { allowOrigins: [url] },
    limits: {
      retry: quickRetry,
      reconnect: quickRetry,
      poll: { firstDelayMs: 1, maxDelayMs: 5 },
      late: 20,
    },
  });
}

/** The texts sent to the peer. */
export const hello = (text = "hello", more: { taskId?: string } = {}) =>
  request(crypto.randomUUID(), text, more);

/** All events of a peer's answer, as our client gives them. */
export async function answersOf(url: string): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const { event } of (await connect(url)).stream(hello())) events.push(event);
  return events;
}

/** A call in JSON-RPC by hand. */
export function call(url: string, method: string, params: object): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}
