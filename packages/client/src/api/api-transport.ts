import { type Backoff, DEFAULT_BACKOFF, delayBefore } from "../ports/backoff.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import { ApiError, apiErrorOf, unreachable } from "./api-error.ts";

/** How the API is reached. */
export interface TransportOptions {
  /** Where the server is, without `/api/v1`; in a browser the page's own origin. */
  readonly baseUrl: string;
  readonly fetch?: typeof globalThis.fetch;
  /** An API key, by which the server knows who asks. */
  readonly key?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long one attempt may take, its body included. */
  readonly deadlineMs?: number;
  /** How often a request is tried in all, where trying again is safe. */
  readonly attempts?: number;
  readonly backoff?: Backoff;
  readonly clock?: Clock;
}

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Sent as it is, in place of a JSON body. */
  readonly content?: { readonly type: string; readonly data: Blob | Uint8Array<ArrayBuffer> };
  readonly headers?: Readonly<Record<string, string>>;
  /** The idempotency key: with it a command can be repeated. */
  readonly key?: string;
  /** Whether it may be repeated though it has no key. */
  readonly isRepeatable?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly attempts?: number | undefined;
}

/** Requests with deadlines; those that may be repeated are, a few times. */
export class ApiTransport {
  readonly #options: Required<TransportOptions>;

  constructor(options: TransportOptions) {
    this.#options = {
      fetch: globalThis.fetch.bind(globalThis),
      headers: {},
      deadlineMs: 30_000,
      attempts: 4,
      backoff: DEFAULT_BACKOFF,
      clock: systemClock,
      key: undefined,
      ...options,
    };
  }

  /** Asks, and reads the answer; throws `ApiError`, or the signal's reason. */
  async request<Result>(request: ApiRequest, read: (response: Response) => Promise<Result>): Promise<Result> {
    const { attempts, backoff, clock } = this.#options;
    const isSafe = request.method === "GET" || request.key !== undefined || request.isRepeatable === true;
    // What is tried again is the same wish, and one trace.
    const headers = {
      ...(request.method !== "GET" && { traceparent: newTraceparent() }),
      ...request.headers,
    };
    const most = isSafe ? (request.attempts ?? attempts) : 1;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt({ ...request, headers }, read);
      } catch (error) {
        if (!(error instanceof ApiError) || !error.isTransient || attempt >= most) throw error;
        await clock.sleep(
          Math.max(error.retryAfterMs ?? 0, delayBefore(attempt, backoff, clock)),
          request.signal,
        );
        request.signal?.throwIfAborted();
      }
    }
  }

  async #attempt<Result>(
    request: ApiRequest,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { fetch, deadlineMs } = this.#options;
    const { signal } = request;
    const deadline = AbortSignal.timeout(deadlineMs);
    try {
      const response = await fetch(this.#url(request), {
        method: request.method,
        headers: this.#headers(request),
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
        ...bodyOf(request),
      });
      if (!response.ok) throw await apiErrorOf(response);
      return await read(response);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ApiError) throw error;
      if (!deadline.aborted) throw unreachable(error);
      throw new ApiError(`There was no answer within ${deadlineMs} ms: try again`, {
        code: "deadline",
        status: 0,
        cause: error,
      });
    }
  }

  #url({ path, query = {} }: ApiRequest): string {
    const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const search = given.length > 0 ? `?${new URLSearchParams(given)}` : "";
    return `${this.#options.baseUrl.replace(/(?<!\/)\/+$/, "")}/api/v1${path}${search}`;
  }

  #headers({ key, body, content, headers }: ApiRequest): Record<string, string> {
    return {
      ...keyHeaders(this.#options.key),
      ...this.#options.headers,
      ...headers,
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(content && { "Content-Type": content.type }),
      ...(key !== undefined && { "Idempotency-Key": key }),
    };
  }
}

/** The headers by which a key is shown. */
export function keyHeaders(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { Authorization: `Bearer ${key}` };
}

function bodyOf({ body, content }: ApiRequest): { body?: string | Blob | Uint8Array<ArrayBuffer> } {
  if (content) return { body: content.data };
  return body === undefined ? {} : { body: JSON.stringify(body) };
}

/** An address of the API with its parameters filled in, which knows the path that it was made from. */
export type ApiPath<Path extends string> = Path | (string & { readonly from?: Path });

type Parameters<Path extends string> = Path extends `${string}{${string}}${infer Rest}`
  ? [string, ...Parameters<Rest>]
  : [];

/** A path with values for its parameters, in their order; they may hold anything. */
export function path<Path extends string>(of: Path, ...values: Parameters<Path>): ApiPath<Path> {
  const left: string[] = [...values];
  return of.replace(/\{\w+\}/g, () => encodeURIComponent(left.shift() ?? ""));
}

/** A W3C traceparent: the server's spans for this request appear below it. */
function newTraceparent(): string {
  const [trace, span] = [16, 8].map((bytes) =>
    Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, "0")),
  );
  return `00-${trace?.join("")}-${span?.join("")}-01`;
}
