import { TooManyStreamsError } from "./grpc-refusal.ts";

/** Room for so many streams at once, on all connections together. */
export class StreamRoom {
  readonly #limit: number;
  #open = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Runs this while there is room for it; refuses it otherwise. */
  async during(stream: () => Promise<void>): Promise<void> {
    if (this.#open >= this.#limit) throw new TooManyStreamsError(this.#limit);
    this.#open++;
    try {
      await stream();
    } finally {
      this.#open--;
    }
  }
}
