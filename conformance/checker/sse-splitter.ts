import { StringDecoder } from "node:string_decoder";

export interface SseFrame {
  readonly id: string | undefined;
  readonly data: string;
}

/** Splits an event stream into frames as its bytes come, looking at each byte once. */
export class SseSplitter {
  readonly #decoder = new StringDecoder("utf8");
  readonly #take: (frame: SseFrame) => void;
  #line = "";
  #id: string | undefined;
  #data: string[] = [];

  constructor(take: (frame: SseFrame) => void) {
    this.#take = take;
  }

  feed(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      this.#read(this.#line + text.slice(start, end));
      this.#line = "";
      start = end + 1;
    }
    this.#line += text.slice(start);
  }

  #read(whole: string): void {
    const line = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
    if (line === "") this.#dispatch();
    else this.#field(line);
  }

  #field(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") this.#data.push(value);
    else if (name === "id") this.#id = value;
  }

  #dispatch(): void {
    const frame = { id: this.#id, data: this.#data.join("\n") };
    const isEmpty = this.#data.length === 0;
    this.#id = undefined;
    this.#data = [];
    if (!isEmpty) this.#take(frame);
  }
}
