import { chunkFrame } from "./ui-chunk.ts";

interface Segment {
  readonly artifactId: string;
  readonly id: string;
  readonly head: string;
  text: string;
}

/** The answer's text as the client has it: parts in the order in which they began. */
export class AnswerText {
  #segments: Segment[] = [];
  readonly #open = new Map<string, Segment>();
  #count = 0;

  /** All of it, as it is read there. */
  get text(): string {
    return this.#segments.map(({ text }) => text).join("");
  }

  has(artifactId: string): boolean {
    return this.#segments.some((segment) => segment.artifactId === artifactId && segment.text !== "");
  }

  /** More of an artifact, as frames: the most frequent of all, so they are put together by hand. */
  more(artifactId: string, text: string): string {
    const open = this.#open.get(artifactId);
    const segment = open ?? this.#begin(artifactId);
    segment.text += text;
    const frame = `${segment.head}${JSON.stringify(text)}}\n\n`;
    return open ? frame : `${chunkFrame({ type: "text-start", id: segment.id })}${frame}`;
  }

  /** What was said in an artifact is taken back; the client has it still. */
  takeBack(artifactId: string): void {
    this.#segments = this.#segments.filter((segment) => segment.artifactId !== artifactId);
    this.#open.delete(artifactId);
  }

  /** This and nothing else was said; the client has what it had. */
  becomes(text: string): void {
    this.#segments = [];
    this.#open.clear();
    if (text !== "") this.#begin("answer").text = text;
  }

  /** All of it anew, for a client that has nothing of it any more. */
  again(): string {
    const texts = new Map<string, string>();
    for (const { artifactId, text } of this.#segments)
      texts.set(artifactId, (texts.get(artifactId) ?? "") + text);
    this.#segments = [];
    this.#open.clear();
    let frames = "";
    for (const [artifactId, text] of texts) if (text !== "") frames += this.more(artifactId, text);
    return frames;
  }

  /** Nothing more comes in the parts that there are. */
  close(): string {
    let frames = "";
    for (const segment of this.#open.values()) {
      frames += chunkFrame({ type: "text-end", id: segment.id });
    }
    this.#open.clear();
    return frames;
  }

  #begin(artifactId: string): Segment {
    const id = `text-${++this.#count}`;
    const head = `data: {"type":"text-delta","id":"${id}","delta":`;
    const segment = { artifactId, id, head, text: "" };
    this.#segments.push(segment);
    this.#open.set(artifactId, segment);
    return segment;
  }
}
