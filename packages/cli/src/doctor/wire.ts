import { guardedFetch, ResponseTooLargeError, SseSplitter } from "@parley/a2a/checks";
import {
  type Evidence,
  type Exchange,
  parsed,
  redactor,
  type TimedFrame,
  type WireRequest,
  type WireStream,
} from "./exchange.ts";

/** The limits of an examination. */
export interface WireOptions {
  /** Sent to the agent's own hosts only, and never shown. */
  readonly headers: ReadonlyMap<string, string>;
  /** Milliseconds for one answer or one stream. */
  readonly timeout: number;
  readonly maxRequests: number;
  readonly signal: AbortSignal;
  readonly isOwn: (url: URL) => boolean;
}

/** The examination has used up its requests. */
export class RequestLimitError extends Error {
  constructor(maxRequests: number) {
    super(`Skipped: the examination is limited to ${maxRequests} requests`);
  }
}

/** A response as far as it was received. */
interface Received {
  readonly response: Response | undefined;
  readonly text: string;
  readonly start: number;
}

const MAX_ANSWER = 8 * 1024 * 1024;
const MAX_STREAM = 48 * 1024 * 1024;

/** Sends requests to the agent: counts them, bounds them, and records them without secrets. */
export class Wire {
  readonly #options: WireOptions;
  /** Masks the caller's secrets in a text. */
  readonly redact: (text: string) => string;
  #requests = 0;
  readonly #answered = new Set<string>();
  #isGone = false;

  constructor(options: WireOptions) {
    this.#options = options;
    this.redact = redactor([...options.headers.values()]);
  }

  /** Whether connections are refused where something answered before. */
  get isGone(): boolean {
    return this.#isGone;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Sends a request and reads the whole response; failures are returned, not thrown. */
  async ask(request: WireRequest, maxBytes = MAX_ANSWER): Promise<Exchange> {
    const start = performance.now();
    let response: Response | undefined;
    let text = "";
    try {
      response = await this.#send(request, { total: this.#options.timeout, responseBytes: maxBytes });
      text = await response.text();
    } catch (error) {
      return this.#failed(request, error, { response, text, start });
    }
    return this.#exchange(request, { response, text, start });
  }

  /** Reads a stream until it ends, `take` has enough, or a limit is reached. */
  async stream(request: WireRequest, take: (frame: TimedFrame) => "enough" | undefined): Promise<WireStream> {
    const start = performance.now();
    const { timeout } = this.#options;
    let response: Response | undefined;
    let text = "";
    let bytes = 0;
    const ended = (end: WireStream["end"], error?: unknown): WireStream => {
      const seen =
        error === undefined && response
          ? this.#exchange(request, { response, text, start })
          : this.#failed(request, error, { response, text, start });
      return { ...seen, request, end, bytes };
    };
    try {
      response = await this.#send(request, { total: timeout, responseBytes: MAX_STREAM });
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      let isEnough = false;
      const splitter = new SseSplitter((frame) => {
        if (isEnough) return;
        isEnough = take({ ...frame, size: frame.data.length, time: performance.now() - start }) === "enough";
      });
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length;
        if (text.length < 20_000) text += Buffer.from(chunk).toString();
        if (isStream) splitter.feed(Buffer.from(chunk));
        if (isEnough) return ended("left");
      }
      return ended("closed");
    } catch (error) {
      if (error instanceof ResponseTooLargeError) return ended("too large", error);
      return ended(performance.now() - start >= timeout - 20 ? "too long" : "broken", error);
    }
  }

  /** Counts a request over another binding, and returns its headers and deadline. */
  allowed(url: URL): { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal } {
    const { maxRequests, isOwn, headers, timeout, signal } = this.#options;
    if (this.#requests >= maxRequests) throw new RequestLimitError(maxRequests);
    this.#requests++;
    return {
      headers: isOwn(url) ? Object.fromEntries(headers) : {},
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    };
  }

  /** Records an exchange over another binding without secrets; throws what ends the examination. */
  noted(
    request: WireRequest,
    { text, start, error }: { readonly text: string; readonly start: number; readonly error?: unknown },
  ): Exchange {
    const seen = { status: 0, contentType: "", headers: new Headers(), text, json: parsed(text) };
    const milliseconds = performance.now() - start;
    if (error === undefined) return { ...seen, milliseconds, evidence: this.#evidence(request, text) };
    if (error instanceof RequestLimitError || this.#options.signal.aborted) throw error;
    const failure = error instanceof Error ? error.message : String(error);
    return { ...seen, milliseconds, failure, cause: error, evidence: this.#evidence(request, failure) };
  }

  async #send(
    { url, method = "POST", headers = {}, body }: WireRequest,
    limits: { readonly total: number; readonly responseBytes: number },
  ): Promise<Response> {
    const { signal, timeout } = this.#options;
    const { origin } = new URL(url);
    const { headers: own } = this.allowed(new URL(url));
    const init = { method, headers: { accept: "application/json", ...headers, ...own }, signal };
    const response = await guardedFetch(url, body === undefined ? init : { ...init, body }, {
      allowOrigins: [origin],
      limits: { ...limits, connect: Math.min(timeout, 10_000), headers: timeout, idle: timeout },
    });
    this.#answered.add(origin);
    return response;
  }

  #exchange(request: WireRequest, { response, text, start }: Received & { response: Response }): Exchange {
    const { status, headers } = response;
    const contentType = headers.get("content-type") ?? "";
    const evidence = this.#evidence(request, `HTTP ${status} ${contentType}\n${text}`);
    const milliseconds = performance.now() - start;
    return { status, contentType, headers, text, json: parsed(text), milliseconds, evidence };
  }

  #failed(request: WireRequest, error: unknown, { response, text, start }: Received): Exchange {
    if (error instanceof RequestLimitError || this.#options.signal.aborted) throw error;
    const failure = error instanceof Error ? error.message : String(error);
    const { origin } = new URL(request.url);
    if (failure.includes("ECONNREFUSED") && this.#answered.has(origin)) this.#isGone = true;
    const seen = this.#exchange(request, { response: response ?? new Response(null), text, start });
    const answer = response ? `${seen.evidence.answer}\n${failure}` : failure;
    const evidence = this.#evidence(request, answer);
    return { ...seen, status: response?.status ?? 0, failure, cause: error, evidence };
  }

  #evidence({ url, method = "POST", headers = {}, body }: WireRequest, answer: string): Evidence {
    // The values of the caller's own headers are secrets.
    const masked = [...this.#options.headers.keys()].map((name) => `${name}: •••`);
    const shown = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const lines = [`${method} ${url}`, ...shown, ...masked, ...(body === undefined ? [] : [body])];
    return { request: this.redact(lines.join("\n")), answer: this.redact(answer) };
  }
}
