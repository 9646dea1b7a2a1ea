import { plainText } from "../../terminal/plain-text.ts";

/**
 * Writes an answer to a pipe or a file: complete lines as they arrive, the rest at the end. What is written cannot be
 * retracted: if the agent restarts its answer, the final answer is written whole at the end, below a line that says so.
 */
export class PipedAnswer {
  readonly #out: { write(text: string): unknown };
  /** What was written, before control characters were removed. */
  #written = "";
  #isRetracted = false;

  constructor(out: { write(text: string): unknown }) {
    this.#out = out;
  }

  /** Takes the answer so far; empty lines wait for what follows them. */
  grow(answer: string): void {
    this.#isRetracted ||= !answer.startsWith(this.#written);
    if (this.#isRetracted) return;
    const whole = answer.slice(0, answer.lastIndexOf("\n") + 1);
    this.#write(answer.slice(this.#written.length, answer.indexOf("\n", whole.trimEnd().length) + 1));
  }

  /** Takes the final answer; without one, nothing more is written. */
  end(answer = ""): void {
    const end = answer.trimEnd();
    const isAllWritten = end === this.#written.trimEnd() && !this.#isRetracted;
    if (end === "" || isAllWritten) return;
    if (this.#isRetracted || !end.startsWith(this.#written)) {
      this.#write("\n[The agent restarted its answer:]\n");
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
