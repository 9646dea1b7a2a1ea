import type { A2AError, SseFrame } from "@parley/a2a/checks";

/** A request to the agent. */
export interface WireRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request and its response as they were sent, without secrets. */
export interface Evidence {
  readonly request: string;
  readonly answer: string;
}

/** A response; `failure` says why it is missing or incomplete. */
export interface Exchange {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
  readonly milliseconds: number;
  readonly failure?: string;
  /** The error behind `failure`. */
  readonly cause?: unknown;
  readonly evidence: Evidence;
}

/** A frame of a stream, with its arrival in milliseconds after the request. */
export interface TimedFrame extends SseFrame {
  readonly size: number;
  readonly time: number;
}

/** A stream as it was read. */
export interface WireStream extends Exchange {
  readonly request: WireRequest;
  readonly end: "closed" | "broken" | "left" | "too long" | "too large";
  /** The A2A error that refused it, where the binding has no JSON for it. */
  readonly error?: A2AError;
  readonly bytes: number;
}

/** Parses a text as JSON; undefined if it is invalid. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Characters of a request or a response that are kept as evidence. */
const MAX_KEPT = 20_000;

const SECRET_MEMBERS =
  /("(?:credentials|password|secret|token|apiKey|api_key|accessToken|access_token)"\s*:\s*")[^"]+"/gi;

/** Returns a function that masks these secrets in a text and shortens it. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  // A bearer token is a secret without its scheme, too.
  const words = secrets.flatMap((it) => [it, ...it.split(/\s+/).slice(1)]).filter((it) => it.length >= 4);
  const longestFirst = [...new Set(words)].sort((one, other) => other.length - one.length);
  return (text) => {
    let shown = text;
    for (const secret of longestFirst) shown = shown.replaceAll(secret, "•••");
    // Last, so that no secret is cut in two.
    return shortened(shown.replace(SECRET_MEMBERS, '$1•••"'), MAX_KEPT);
  };
}

/** The beginning of a text, with its whole length where it is cut. */
export function shortened(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}… (${text.length} characters)`;
}
