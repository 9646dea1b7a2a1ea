/** One frame of an event stream. */
export interface SseFrame {
  readonly id: string | undefined;
  readonly event: string | undefined;
  /** The raw text. */
  readonly data: string;
}

/** Splits bytes into frames; an unterminated frame is dropped. */
export class SseFrames {
  #rest = Buffer.alloc(0);

  push(bytes: Buffer): SseFrame[] {
    const all = Buffer.concat([this.#rest, bytes]);
    const end = all.lastIndexOf("\n\n");
    if (end < 0) {
      this.#rest = all;
      return [];
    }
    this.#rest = all.subarray(end + 2);
    return all.subarray(0, end).toString().split("\n\n").flatMap(frameIn);
  }
}

function frameIn(block: string): SseFrame[] {
  const field = (name: string) =>
    // By line feeds alone: a regular expression would also end a line at U+2028.
    block
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const data = field("data");
  return data === undefined ? [] : [{ id: field("id"), event: field("event"), data }];
}
