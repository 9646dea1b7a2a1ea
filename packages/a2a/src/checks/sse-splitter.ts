import { StringDecoder } from "node:string_decoder";

/** One event of SSE, with its data as it came. */
export interface SseFrame {
  readonly id: string | undefined;
  readonly data: string;
}

/** The maximum characters of a frame; a larger one is replaced by a note with its size. */
const MAX_FRAME = 64 * 1024 * 1024;

/** Splits an event stream into frames as its bytes come, looking at each byte once. */
export class SseSplitter {
  readonly #decoder = new StringDecoder("utf8");
  readonly #take: (frame: SseFrame) => void;
  readonly #most: number;
  #line = "";
  #id: string | undefined;
  #data: string[] = [];
  #size = 0;

  constructor(take: (frame: SseFrame) => void, most = MAX_FRAME) {
    this.#take = take;
    this.#most = most;
  }

  feed(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      this.#hold(text.slice(start, end));
      this.#read(this.#line.endsWith("\r") ? this.#line.slice(0, -1) : this.#line);
      this.#line = "";
      start = end + 1;
    }
    this.#hold(text.slice(start));
  }

  /** Keeps the beginning of every line, so that one without an end is at least known for what it is. */
  #hold(text: string): void {
    this.#size += text.length;
    if (this.#size <= this.#most) this.#line += text;
    else this.#line ||= text.slice(0, "data:".length);
  }

  #read(line: string): void {
    if (line === "") this.#dispatch();
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "id") this.#id = value;
    else if (name === "data" && this.#size <= this.#most) this.#data.push(value);
    else if (name === "data") this.#data = [`A frame of more than ${this.#most} characters`];
  }

  #dispatch(): void {
    const frame = { id: this.#id, data: this.#data.join("\n") };
    const isEmpty = this.#data.length === 0;
    this.#id = undefined;
    this.#data = [];
    this.#size = 0;
    if (!isEmpty) this.#take(frame);
  }
}
