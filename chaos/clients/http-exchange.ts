import { type IncomingMessage, request } from "node:http";

export interface HttpRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | undefined;
  /** Silence for so long is the end of it. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request on a connection of its own, and resolves with the head of the answer. */
export function openExchange(url: string, options: HttpRequest): Promise<IncomingMessage> {
  const { method, headers, body, patienceMs, signal } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        ...{ method, agent: false, timeout: patienceMs, ...(signal && { signal }) },
        headers: { ...headers, ...(body && { "content-type": "application/json" }) },
      },
      resolve,
    );
    sent.on("error", reject);
    sent.on("timeout", () => sent.destroy(new Error("silence")));
    sent.end(body && JSON.stringify(body));
  });
}

export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** Sends a request and resolves with the whole answer; rejects when it did not come. */
export async function exchange(url: string, options: HttpRequest): Promise<HttpAnswer> {
  const answer = await openExchange(url, options);
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const { statusCode: status = 0, headers } = answer;
  return { status, retryAfter: headers["retry-after"], text: Buffer.concat(chunks).toString() };
}
