/** What a bar of the trace stands for. */
export type SpanKind = "run" | "plan" | "step" | "agent" | "tool" | "turn" | "person";

export type SpanState = "running" | "succeeded" | "failed" | "canceled" | "unknown";

/** Something that took time in a run; times are in milliseconds since 1970. */
export interface Span {
  readonly id: string;
  readonly kind: SpanKind;
  /** Of an agent, a tool or a step; a turn's is its number. */
  readonly name: string;
  readonly call?: string;
  readonly depth: number;
  readonly start: number;
  /** While it is active: now. */
  readonly end: number;
  readonly state: SpanState;
  /** When its first words came. */
  readonly firstToken?: number;
  /** Indices of the events that tell of it. */
  readonly events: readonly number[];
}

/** The usage of a run, if its agent reports it. */
export interface SpentTokens {
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cost?: { readonly amount: number; readonly currency: string };
}

/** A run in bars: the run itself first, then what it consists of, each below what it belongs to. */
export interface Trace {
  readonly start: number;
  readonly end: number;
  readonly spans: readonly Span[];
  /** When the first words of the answer came. */
  readonly firstToken?: number;
  readonly spent?: SpentTokens;
}

/** A span's name as people read it: a tool's has its server in front. */
export function spanTitle({ name }: Pick<Span, "name">): string {
  return name.replaceAll("__", " · ");
}
