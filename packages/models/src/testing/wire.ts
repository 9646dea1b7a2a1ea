import type { IncomingHttpHeaders } from "node:http";

/** A turn as a provider would stream it, before it is put into that provider's format. */
export interface WireTurn {
  readonly thinking?: readonly string[];
  readonly text?: readonly string[];
  readonly calls?: readonly WireCall[];
  readonly end: "stop" | "tool-calls" | "length";
}

interface WireCall {
  readonly id: string;
  readonly tool: string;
  /** The arguments' JSON text, in the pieces in which it arrives. */
  readonly pieces: readonly string[];
}

export interface WireFailure {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What a provider's endpoint speaks: the frames of a turn, its failures, and where the key travels. */
export interface Wire {
  readonly name: string;
  readonly environment: (url: string, key: string) => Record<string, string>;
  readonly keyOf: (headers: IncomingHttpHeaders) => string | string[] | undefined;
  readonly frames: (turn: WireTurn) => string[];
  readonly wrongKey: (key: string) => WireFailure;
  readonly unknownModel: WireFailure;
  readonly rateLimit: WireFailure;
  readonly overload: WireFailure;
  /** The frame that reports an overload in mid-stream. */
  readonly overloadFrame: string;
}

/** One frame of an event stream. */
export function frame(data: unknown, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}
