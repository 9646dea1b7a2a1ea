import { plainText } from "../../terminal/plain-text.ts";

/**
 * An answer on its way into a pipe or a file: whole lines as they come to stand, the rest at the end. What is written
 * cannot be taken back: where the agent takes back what it had said, the answer as it came out is written whole below a
 * line that says so, and nothing of it before its end.
 */
export class PipedAnswer {
  readonly #out: { write(text: string): unknown };
  /** What was written, as the agent said it. */
  #written = "";
  #isRetracted = false;

  constructor(out: { write(text: string): unknown }) {
    this.#out = out;
  }

  /** The answer as far as it is known; empty lines wait for what comes below them. */
  grow(answer: string): void {
    this.#isRetracted ||= !answer.startsWith(this.#written);
    if (this.#isRetracted) return;
    const whole = answer.slice(0, answer.lastIndexOf("\n") + 1);
    this.#write(answer.slice(this.#written.length, answer.indexOf("\n", whole.trimEnd().length) + 1));
  }

  /** The answer as it came out; without one, what was written stays as it is. */
  end(answer = ""): void {
    const end = answer.trimEnd();
    const isAllWritten = end === this.#written.trimEnd() && !this.#isRetracted;
    if (end === "" || isAllWritten) return;
    if (this.#isRetracted || !end.startsWith(this.#written)) {
      this.#write("\n[The agent began its answer again:]\n");
      this.#written = "";
    }
    this.#write(`${end.slice(this.#written.length)}\n`);
  }

  #write(text: string): void {
    if (text.trim() === "") return;
    this.#written += text;
    this.#out.write(plainText(text));
  }
}
