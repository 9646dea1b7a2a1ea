import { guardedFetch, ResponseTooLargeError, SseSplitter } from "@parley/a2a/checks";
import { type Evidence, redactor } from "./evidence.ts";
import { type Exchange, parsed, type TimedFrame, type WireRequest, type WireStream } from "./exchange.ts";

/** What bounds an examination. */
export interface WireOptions {
  /** Sent to the agent's own hosts, and never shown. */
  readonly headers: ReadonlyMap<string, string>;
  /** Milliseconds for one answer, or one stream. */
  readonly timeout: number;
  readonly mostRequests: number;
  readonly signal: AbortSignal;
  /** The hosts that may be asked. */
  readonly isOwn: (url: URL) => boolean;
}

/** The examination asked as often as it may. */
export class RequestLimitError extends Error {
  constructor(most: number) {
    super(`Not looked at: the examination is limited to ${most} requests`);
  }
}

const MAX_ANSWER = 8 * 1024 * 1024;
const MAX_STREAM = 48 * 1024 * 1024;

/** All that goes to the agent: counted, bounded, and noted without secrets. */
export class Wire {
  readonly #options: WireOptions;
  /** Takes the caller's secrets out of a text. */
  readonly redact: (text: string) => string;
  #requests = 0;
  readonly #answered = new Set<string>();
  #isGone = false;

  constructor(options: WireOptions) {
    this.#options = options;
    this.redact = redactor([...options.headers.values()]);
  }

  /** Nothing listens any more where something answered before. */
  get isGone(): boolean {
    return this.#isGone;
  }

  get requests(): number {
    return this.#requests;
  }

  /** One question and its whole answer; what goes wrong on the way is told, not thrown. */
  async ask(request: WireRequest, mostBytes = MAX_ANSWER): Promise<Exchange> {
    const start = performance.now();
    let response: Response | undefined;
    let text = "";
    try {
      response = await this.#send(request, { total: this.#options.timeout, responseBytes: mostBytes });
      text = await response.text();
    } catch (error) {
      return this.#failed(request, { response, text, start, error });
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
      const parts = { response, text, start };
      const seen =
        error === undefined && response
          ? this.#exchange(request, { ...parts, response })
          : this.#failed(request, { ...parts, error });
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

  /** What goes out by another binding than HTTP's: counted and bounded as all else, with the caller's headers. */
  allowed(url: URL): { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal } {
    const { mostRequests, isOwn, headers, timeout, signal } = this.#options;
    if (this.#requests >= mostRequests) throw new RequestLimitError(mostRequests);
    this.#requests++;
    return {
      headers: isOwn(url) ? Object.fromEntries(headers) : {},
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    };
  }

  /** What was said and answered by another binding, without secrets; throws what ends the examination. */
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

  #exchange(
    request: WireRequest,
    { response, text, start }: { readonly response: Response; readonly text: string; readonly start: number },
  ): Exchange {
    const contentType = response.headers.get("content-type") ?? "";
    const { status, headers } = response;
    const answer = `HTTP ${status} ${contentType}\n${text}`;
    const milliseconds = performance.now() - start;
    return {
      status,
      contentType,
      headers,
      text,
      json: parsed(text),
      milliseconds,
      evidence: this.#evidence(request, answer),
    };
  }

  #failed(
    request: WireRequest,
    {
      response,
      text,
      start,
      error,
    }: { response: Response | undefined; text: string; start: number; error: unknown },
  ): Exchange {
    if (error instanceof RequestLimitError || this.#options.signal.aborted) throw error;
    const failure = error instanceof Error ? error.message : String(error);
    const { origin } = new URL(request.url);
    if (failure.includes("ECONNREFUSED") && this.#answered.has(origin)) this.#isGone = true;
    const seen = this.#exchange(request, { response: response ?? new Response(null), text, start });
    const answer = response ? `${seen.evidence.answer}\n${failure}` : failure;
    return {
      ...seen,
      status: response?.status ?? 0,
      failure,
      cause: error,
      evidence: this.#evidence(request, answer),
    };
  }

  #evidence({ url, method = "POST", headers = {}, body }: WireRequest, answer: string): Evidence {
    // Of the caller's own headers only the names: their values are secrets.
    const names = [...this.#options.headers.keys()].map((name) => `${name}: •••`);
    const said = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const lines = [`${method} ${url}`, ...said, ...names, ...(body === undefined ? [] : [body])];
    return { request: this.redact(lines.join("\n")), answer: this.redact(answer) };
  }
}
