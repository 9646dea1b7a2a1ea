import { Agent, request } from "node:http";

/** An HTTP request as it is to be sent, right or wrong. */
export interface HttpQuestion {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface HttpAnswer {
  readonly status: number;
  readonly type: string;
  /** All of it; of an event stream, the first frames that came. */
  readonly text: string;
  readonly ms: number;
}

/** Requests over a few connections that are kept alive, as clients keep them. */
export class HttpExchange {
  readonly #agent: Agent;
  readonly #port: number;

  constructor(url: string, connections: number) {
    this.#port = Number(new URL(url).port);
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  ask({ method, path, headers, body }: HttpQuestion): Promise<HttpAnswer> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const length = body ? { "content-length": String(body.length) } : {};
      const asked = request(
        {
          host: "127.0.0.1",
          port: this.#port,
          agent: this.#agent,
          method,
          path,
          headers: { ...headers, ...length },
        },
        (response) => {
          const { statusCode: status = 0, headers: answered } = response;
          const type = answered["content-type"] ?? "";
          const chunks: Buffer[] = [];
          const done = () =>
            resolve({
              status,
              type,
              text: Buffer.concat(chunks).toString(),
              ms: performance.now() - started,
            });
          response.on("data", (chunk) => {
            chunks.push(chunk);
            // A stream may stay open as long as its task does: one frame tells enough.
            if (type === "text/event-stream" && Buffer.concat(chunks).includes("\n\n")) {
              done();
              response.destroy();
            }
          });
          response.on("end", done);
          response.on("error", reject);
        },
      );
      asked.on("error", reject);
      asked.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
