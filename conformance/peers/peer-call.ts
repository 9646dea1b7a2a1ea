import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Json } from "@parley/a2a";
import type { JsonObject, PeerRequest } from "./peer.ts";

/** A call and its possible responses. */
export interface PeerCall extends PeerRequest {
  /** Resolves when the caller has disconnected. */
  readonly gone: Promise<void>;
  result(result: Json): void;
  error(code: number, message: string): void;
  /** Begins a stream. */
  stream(): PeerStream;
}

/** A hand-written stream; writes apply backpressure. */
interface PeerStream {
  /** False once the reader has disconnected. */
  readonly isOpen: boolean;
  send(result: Json): Promise<void>;
  raw(text: string): Promise<void>;
  end(): void;
}

/** The call that this response answers. */
export function peerCall(request: PeerRequest, id: Json, response: ServerResponse): PeerCall {
  const envelope = (members: JsonObject) => JSON.stringify({ jsonrpc: "2.0", id, ...members });
  const json = (members: JsonObject) => {
    response.writeHead(200, { "content-type": "application/json" }).end(envelope(members));
  };
  const gone = new Promise<void>((resolve) => response.once("close", () => resolve()));
  return {
    ...request,
    gone,
    result: (result) => json({ result }),
    error: (code, message) => json({ error: { code, message } }),
    stream() {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
      response.flushHeaders();
      const raw = async (text: string) => {
        if (response.destroyed || response.write(text)) return;
        await Promise.race([once(response, "drain"), gone]);
      };
      return {
        get isOpen() {
          return !response.destroyed;
        },
        raw,
        send: (result) => raw(`data: ${envelope({ result })}\n\n`),
        end: () => void response.end(),
      };
    },
  };
}
