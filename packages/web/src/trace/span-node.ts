import type { Span, SpanKind, SpanState } from "./span.ts";

/** A span that is being put together, with what belongs to it. */
export class SpanNode {
  readonly id: string;
  readonly kind: SpanKind;
  readonly name: string;
  readonly start: number;
  readonly call: string | undefined;
  readonly children: SpanNode[] = [];
  readonly events: number[] = [];
  /** When its words came, and with which event. */
  readonly words: { readonly at: number; readonly index: number }[] = [];
  end: number | undefined;
  state: SpanState = "running";

  constructor({ id, kind, name, start, call }: Pick<Span, "id" | "kind" | "name" | "start" | "call">) {
    this.call = call;
    this.id = id;
    this.kind = kind;
    this.name = name;
    this.start = start;
  }

  finish(at: number, state: SpanState): void {
    this.end ??= at;
    if (this.state === "running") this.state = state;
  }

  /** The bars of this and of all below it, in the order of their beginnings. */
  flattened(now: number, depth = 0): Span[] {
    const { id, kind, name, start, state, events, words, call } = this;
    const end = Math.max(start, this.end ?? now);
    const [first] = words;
    const own = {
      id,
      kind,
      name,
      depth,
      start,
      end,
      state,
      events,
      ...(call !== undefined && { call }),
      ...(first && { firstToken: first.at }),
    };
    const below = [...this.children].sort((one, other) => one.start - other.start);
    return [own, ...below.flatMap((child) => child.flattened(now, depth + 1))];
  }
}
