import { type IncomingMessage, request } from "node:http";

export interface HttpRequest {
  readonly method: string;
  /** Replaces the URL's path verbatim: no segment is resolved. */
  readonly rawPath?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | undefined;
  /** Awaited between the first byte of the body and the rest; if it throws, the rest is not sent. */
  readonly midway?: () => Promise<void>;
  /** The API key; without one the request is anonymous. */
  readonly key?: string | undefined;
  /** The first chunk of an endless event stream is enough. */
  readonly isFirstPiece?: boolean;
  /** The idle timeout. */
  readonly idleTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request on a new connection and resolves with the response head. */
export function openExchange(url: string, options: HttpRequest): Promise<IncomingMessage> {
  const { method, rawPath, headers, body, key, idleTimeoutMs, signal, midway } = options;
  const text = body && JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        ...{ method, agent: false, timeout: idleTimeoutMs, ...(signal && { signal }) },
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
  /** All headers but the date, in order. */
  readonly headers: string;
  readonly text: string;
  /** The server's date header. */
  readonly date?: string | undefined;
}

/** Sends a request and resolves with the whole response; rejects if it does not arrive. */
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
