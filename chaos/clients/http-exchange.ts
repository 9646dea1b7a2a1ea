import { type IncomingMessage, request } from "node:http";

export interface HttpRequest {
  readonly method: string;
  /** In place of the URL's own, as it is: no segment of it is resolved. */
  readonly rawPath?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | undefined;
  /** Awaited between the first byte of the body and the others; where it throws, they are not sent. */
  readonly midway?: () => Promise<void>;
  /** The API key by which it is known who asks; none: nobody shows who they are. */
  readonly key?: string | undefined;
  /** Of an event stream, which has no end, the first piece is enough. */
  readonly isFirstPiece?: boolean;
  /** Silence for so long is the end of it. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request on a connection of its own, and resolves with the head of the answer. */
export function openExchange(url: string, options: HttpRequest): Promise<IncomingMessage> {
  const { method, rawPath, headers, body, key, patienceMs, signal, midway } = options;
  const text = body && JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        ...{ method, agent: false, timeout: patienceMs, ...(signal && { signal }) },
        ...(rawPath !== undefined && { path: rawPath }),
        headers: {
          ...headers,
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(text && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        },
      },
      resolve,
    );
    sent.on("error", reject);
    sent.on("timeout", () => sent.destroy(new Error("silence")));
    if (!midway || !text) return sent.end(text);
    sent.write(text.slice(0, 1));
    midway().then(
      () => sent.end(text.slice(1)),
      (error: Error) => sent.destroy(error),
    );
  });
}

export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** All headers but the time, in their order. */
  readonly headers: string;
  readonly text: string;
  /** The time that the server says it is. */
  readonly date?: string | undefined;
}

/** Sends a request and resolves with the whole answer; rejects when it did not come. */
export async function exchange(url: string, options: HttpRequest): Promise<HttpAnswer> {
  const answer = await openExchange(url, options);
  const chunks: Buffer[] = [];
  const isEnough = options.isFirstPiece && answer.headers["content-type"] === "text/event-stream";
  for await (const chunk of answer) {
    chunks.push(chunk);
    if (isEnough) break;
  }
  const { statusCode: status = 0, headers } = answer;
  const compared = Object.entries(headers).filter(([name]) => name !== "date");
  return {
    ...{ status, retryAfter: headers["retry-after"], text: Buffer.concat(chunks).toString() },
    ...(headers.date !== undefined && { date: headers.date }),
    headers: compared.map(([name, value]) => `${name}: ${value}`).join("\n"),
  };
}
