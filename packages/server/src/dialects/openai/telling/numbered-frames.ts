/** Frames with numbers: those that a client has already are counted, and not told again. */
export class NumberedFrames {
  readonly #after: number;
  #next = 0;

  /** `after`: the number of the last frame that the client has. */
  constructor(after: number) {
    this.#after = after;
  }

  /** The number of the frame to come. */
  get next(): number {
    return this.#next;
  }

  frame(type: string, body: object): string {
    const number = this.#next++;
    if (number <= this.#after) return "";
    return `event: ${type}\ndata: ${JSON.stringify({ type, ...body, sequence_number: number })}\n\n`;
  }

  /** A frame that lacks only its last member. */
  piece(prefix: string, text: string): string {
    const number = this.#next++;
    return number <= this.#after ? "" : `${prefix}${JSON.stringify(text)},"sequence_number":${number}}\n\n`;
  }
}
