/** A line was longer than its reader takes. */
export class LineTooLongError extends Error {
  override name = "LineTooLongError";

  constructor(limit: number) {
    super(`it sent a line of more than ${limit} bytes`);
  }
}

/** Cuts bytes into lines at linear cost, and holds at most one line of `limit` bytes. */
export class LineReader {
  readonly #limit: number;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The lines that this chunk completes, without their ends; throws `LineTooLongError`. */
  *push(chunk: Buffer): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      yield this.rest();
    }
    this.#keep(chunk.subarray(start));
  }

  /** What came after the last line's end; the reader is empty then. */
  rest(): string {
    const line = Buffer.concat(this.#pieces, this.#size).toString("utf8");
    this.#pieces = [];
    this.#size = 0;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }

  #keep(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.#limit) throw new LineTooLongError(this.#limit);
    if (piece.length > 0) this.#pieces.push(piece);
  }
}
