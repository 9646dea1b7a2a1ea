import { type Agent, request } from "node:http";

/** A request whose path is sent as it is written. */
export interface RawRequest {
  readonly agent: Agent;
  readonly url: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** The answer, read whole; of an event stream, what comes first. */
export function rawRequest({ agent, url, method, path, headers: given, body }: RawRequest) {
  const { host, hostname, port } = new URL(url);
  const headers = { Host: host, ...(body !== undefined && { "Content-Type": "application/json" }), ...given };
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asked = request({ agent, port, host: hostname, method, path, headers }, (response) => {
      const { statusCode: status = 0 } = response;
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
        if (response.headers["content-type"] !== "text/event-stream") return;
        resolve({ status, text });
        response.destroy();
      });
      response.on("end", () => resolve({ status, text })).on("error", reject);
    });
    asked.on("error", reject).end(body);
  });
}
