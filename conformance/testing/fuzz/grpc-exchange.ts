import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from "node:http2";

/** A gRPC request as it is to be sent, right or wrong, down to its bytes. */
export interface GrpcQuestion {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body with all its frames. */
  readonly body: Buffer;
}

export interface GrpcAnswer {
  readonly httpStatus: number;
  /** Undefined where the answer has none: it was refused as HTTP, or is a stream that goes on. */
  readonly status: number | undefined;
  readonly message: string;
  /** The `google.rpc.Status` of an error. */
  readonly details: Buffer | undefined;
  /** The first message. */
  readonly first: Buffer | undefined;
  readonly ms: number;
}

/** Connections; each takes many calls at once, as gRPC does. */
const SESSIONS = 4;

/** Calls over plain HTTP/2, so that they can be wrong in every way in which a client can be. */
export class GrpcExchange {
  readonly #origin: string;
  readonly #sessions: (ClientHttp2Session | undefined)[] = Array.from({ length: SESSIONS });
  #calls = 0;

  constructor(port: number) {
    this.#origin = `http://127.0.0.1:${port}`;
  }

  ask({ path, headers, body }: GrpcQuestion): Promise<GrpcAnswer> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const usual = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" };
      // Said aloud, because a GET would otherwise have no body.
      const stream = this.#session().request({ ...usual, ...headers }, { endStream: false });
      let answered: IncomingHttpHeaders = {};
      let httpStatus = 0;
      const chunks: Buffer[] = [];
      const done = () => {
        const status = answered["grpc-status"];
        const details = answered["grpc-status-details-bin"];
        resolve({
          httpStatus,
          status: status === undefined ? undefined : Number(status),
          message: decodeURIComponent(String(answered["grpc-message"] ?? "")),
          details: details === undefined ? undefined : Buffer.from(String(details), "base64"),
          first: firstMessage(Buffer.concat(chunks)),
          ms: performance.now() - started,
        });
      };
      stream.on("response", (its) => {
        httpStatus = its[":status"] ?? 0;
        answered = its;
      });
      stream.on("trailers", (its) => {
        answered = { ...answered, ...its };
      });
      stream.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        // A stream may stay open as long as its task does: one message tells enough.
        if (!firstMessage(Buffer.concat(chunks))) return;
        setImmediate(() => stream.close(constants.NGHTTP2_CANCEL));
      });
      stream.on("close", done);
      stream.on("error", reject);
      stream.end(body);
    });
  }

  close(): void {
    for (const session of this.#sessions) session?.destroy();
  }

  #session(): ClientHttp2Session {
    const place = this.#calls++ % SESSIONS;
    const known = this.#sessions[place];
    if (known && !known.closed && !known.destroyed) return known;
    const session = connect(this.#origin);
    // Each of its calls gets its own error.
    session.on("error", () => undefined);
    this.#sessions[place] = session;
    return session;
  }
}

function firstMessage(bytes: Buffer): Buffer | undefined {
  if (bytes.length < 5) return undefined;
  const end = 5 + bytes.readUInt32BE(1);
  return bytes.length < end ? undefined : bytes.subarray(5, end);
}

/** A message in the frame that gRPC puts around it. */
export function framed(message: Uint8Array, { flag = 0, length = message.length } = {}): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flag);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}
