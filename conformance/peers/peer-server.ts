import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type JsonObject, type PeerRequest, textOfParams } from "./peer.ts";
import { type PeerCall, peerCall } from "./peer-call.ts";

/** A peer's server, and the calls it received. */
export interface PeerServer {
  readonly url: string;
  readonly requests: PeerRequest[];
  stop(): Promise<void>;
}

/** What a peer's server serves. */
export interface PeerServerOptions {
  /** The card at this path, or nothing. */
  readonly card: (path: string, url: string) => JsonObject | undefined;
  readonly answer: (call: PeerCall) => unknown;
  /** A free one when left out. */
  readonly port?: number | undefined;
}

/** A server that hands over its JSON-RPC calls and serves its card. */
export async function startPeerServer({ card, answer, port }: PeerServerOptions): Promise<PeerServer> {
  const requests: PeerRequest[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== "POST") {
      const found = card(request.url ?? "/", server.url);
      response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify(found ?? { error: "There is no card here" }));
      return;
    }
    const { body, call } = await readCall(request);
    requests.push(call);
    await answer(peerCall(call, body.id ?? null, response));
  };
  const server = await listening((request, response) => {
    serve(request, response).catch((error) => response.destroy(error));
  }, port);
  return { ...server, requests };
}

/** Serves on this port of this machine, or a free one, until it is stopped. */
export async function listening(listener: RequestListener, port = 0): Promise<Omit<PeerServer, "requests">> {
  const server = createServer(listener).listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Reads a JSON-RPC call to its end. */
export async function readCall(request: IncomingMessage): Promise<{ body: JsonObject; call: PeerRequest }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
  const params = (body.params ?? {}) as JsonObject;
  const { headers } = request;
  return { body, call: { method: String(body.method), params, headers, text: textOfParams(params) } };
}
