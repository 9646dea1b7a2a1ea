import { sseFrame } from "@parley/a2a";
import type { OutputItem } from "./response-object.ts";

/** The kind of a text: a message, reasoning, or reasoning as a summary, the only one that most clients show. */
export type TextKind = "message" | "thought" | "summary";
type TextItem = Extract<OutputItem, { type: "message" | "reasoning" }>;
type Status = TextItem["status"];

interface Words {
  readonly name: string;
  readonly part: string;
  readonly index: string;
  /** Additional members of its frames. */
  readonly more: object;
}

const WORDS: Readonly<Record<TextKind, Words>> = {
  message: { name: "output_text", part: "content_part", index: "content_index", more: { logprobs: [] } },
  thought: { name: "reasoning_text", part: "content_part", index: "content_index", more: {} },
  summary: {
    ...{ name: "reasoning_summary_text", part: "reasoning_summary_part", index: "summary_index" },
    more: {},
  },
};

/** A text item of a response, and the content of its frames. */
export class OutputText {
  readonly kind: TextKind;
  readonly place: number;
  readonly pieces: string[] = [];
  readonly deltaType: string;
  /** The beginning of each delta's data, serialised once. */
  readonly deltaHead: string;
  readonly #id: string;
  readonly #words: Words;

  constructor(kind: TextKind, id: string, place: number) {
    this.kind = kind;
    this.place = place;
    this.#id = id;
    this.#words = WORDS[kind];
    const { name, more } = this.#words;
    this.deltaType = `response.${name}.delta`;
    const shared = JSON.stringify({ type: this.deltaType, ...this.#where, ...more });
    this.deltaHead = `${shared.slice(0, -1)},"delta":`;
  }

  get text(): string {
    return this.pieces.join("");
  }

  item(text: string, status: Status): TextItem {
    const id = this.#id;
    if (this.kind === "message") {
      const content = text === "" ? [] : [messagePart(text)];
      return { type: "message", id, role: "assistant", status, content };
    }
    const item = { type: "reasoning", id, summary: [], status } as const;
    if (this.kind === "summary")
      return { ...item, summary: text === "" ? [] : [{ type: "summary_text", text }] };
    return { ...item, content: text === "" ? [] : [{ type: "reasoning_text", text }] };
  }

  /** The frame that begins or ends its text, as type and body. */
  part(what: "added" | "done", text: string): readonly [string, object] {
    return [`response.${this.#words.part}.${what}`, { ...this.#where, part: this.#part(text) }];
  }

  done(text: string): readonly [string, object] {
    const { name, more } = this.#words;
    return [`response.${name}.done`, { ...this.#where, text, ...more }];
  }

  get #where() {
    return { item_id: this.#id, output_index: this.place, [this.#words.index]: 0 };
  }

  #part(text: string): object {
    if (this.kind === "message") return messagePart(text);
    return { type: this.kind === "summary" ? "summary_text" : "reasoning_text", text };
  }
}

function messagePart(text: string) {
  return { type: "output_text" as const, text, annotations: [] as [], logprobs: [] as [] };
}

/** Numbers the frames; those that the client has already are counted, but not sent. */
export class NumberedFrames {
  readonly #after: number;
  #next = 0;

  /** `after`: the number of the last frame that the client has. */
  constructor(after: number) {
    this.#after = after;
  }

  /** The number of the next frame. */
  get next(): number {
    return this.#next;
  }

  frame(type: string, body: object): string {
    const number = this.#next++;
    if (number <= this.#after) return "";
    return sseFrame(JSON.stringify({ type, ...body, sequence_number: number }), { event: type });
  }

  /** The frame of more text. */
  delta({ deltaType, deltaHead }: OutputText, text: string): string {
    const number = this.#next++;
    if (number <= this.#after) return "";
    const data = `${deltaHead}${JSON.stringify(text)},"sequence_number":${number}}`;
    return sseFrame(data, { event: deltaType });
  }
}
