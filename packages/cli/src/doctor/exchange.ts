import type { A2AError, SseFrame } from "@parley/a2a/checks";
import type { Evidence } from "./evidence.ts";

/** What goes out. */
export interface WireRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What came back; `failure` says in words why nothing, or not everything, came. */
export interface Exchange {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
  readonly milliseconds: number;
  readonly failure?: string;
  /** What was thrown, for whoever wants to know more than its words. */
  readonly cause?: unknown;
  readonly evidence: Evidence;
}

/** A frame of a stream, and when it came, in milliseconds since the request. */
export interface TimedFrame extends SseFrame {
  readonly size: number;
  readonly time: number;
}

/** A stream as it was read. */
export interface WireStream extends Exchange {
  readonly request: WireRequest;
  readonly end: "closed" | "broken" | "left" | "too long" | "too large";
  /** The error of A2A that it was refused with, where the binding has no JSON for it. */
  readonly error?: A2AError;
  readonly bytes: number;
}

/** The JSON of a text; undefined where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
