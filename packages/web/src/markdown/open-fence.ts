import type { Tokens } from "marked";

const opening = /^ {0,3}(`{3,}(?=[^`\n]*\n)|~{3,}(?!~))([^\n]*)\n/;

/** A fenced block of code while it grows: it is searched line by line for its end, and shown as it comes. */
export class OpenFence {
  /** The block as it begins, without code. */
  readonly token: Tokens.Code;
  readonly #closing: RegExp;
  #line = "";
  #unshown = "";
  #shownOfLine = 0;

  /** The fence that this text begins with, once its first line is complete. */
  static at(source: string): OpenFence | undefined {
    const match = opening.exec(source);
    if (!match?.[1]) return undefined;
    return new OpenFence(match[0], match[1], match[2]?.trim() ?? "");
  }

  private constructor(raw: string, fence: string, lang: string) {
    this.token = { type: "code", raw, lang, text: "" };
    this.#closing = new RegExp(`^ {0,3}${fence}[~\`]* *$`);
  }

  /** Takes further text; how much of it belongs to the block, if the block ends in it. */
  take(text: string): number | undefined {
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      const line = this.#line + text.slice(start, end);
      if (line.length < 256 && this.#closing.test(line)) return end + 1;
      this.#unshown += `${line.slice(this.#shownOfLine)}\n`;
      this.#line = "";
      this.#shownOfLine = 0;
      start = end + 1;
    }
    this.#line += text.slice(start);
    return undefined;
  }

  /** The code that was not shown yet, without a last line that may become the closing fence. */
  show(): string {
    let text = this.#unshown;
    this.#unshown = "";
    if (!/^ {0,3}[`~]* *$/.test(this.#line.slice(0, 256))) {
      text += this.#line.slice(this.#shownOfLine);
      this.#shownOfLine = this.#line.length;
    }
    return text;
  }
}
