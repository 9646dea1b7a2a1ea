/** Where a value is: the keys and indices that lead to it. */
export type JsonPath = readonly (string | number)[];

/** Receives what is in a JSON text, in order; a path is only good during the call. */
export interface JsonListener {
  open(path: JsonPath, kind: "object" | "array"): void;
  close(path: JsonPath): void;
  /** A piece of a text value; never half of a surrogate pair. */
  text(path: JsonPath, piece: string): void;
  /** A whole text, a number, true, false or null; undefined where it is none of these. */
  value(path: JsonPath, value: unknown): void;
}

const MAX_SCALAR_LENGTH = 64;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

/**
 * Reads JSON in pieces, each character once. What is no JSON is read as far as it looks like it and never throws:
 * the whole text is parsed later.
 */
export class JsonScanner {
  readonly #listener: JsonListener;
  /** One element for each open bracket: the last key of an object, or the index in an array. */
  readonly #path: (string | number)[] = [];
  #place: "between" | "text" | "escape" | "code" = "between";
  #isKey = false;
  #text = "";
  #half = "";
  #code = "";
  #scalar = "";

  constructor(listener: JsonListener) {
    this.#listener = listener;
  }

  add(piece: string): void {
    for (let at = 0; at < piece.length; )
      at += this.#place === "text" ? this.#run(piece, at) : this.#one(piece.charAt(at));
  }

  /** Takes the characters of a text up to the next that is special, and returns how many it took. */
  #run(piece: string, at: number): number {
    const plain = /[^"\\]*/y;
    plain.lastIndex = at;
    const [run = ""] = plain.exec(piece) ?? [];
    if (run !== "") this.#append(run);
    else if (piece[at] === "\\") this.#place = "escape";
    else this.#endText();
    return run.length || 1;
  }

  #one(character: string): number {
    if (this.#place === "between") this.#structure(character);
    else if (this.#place === "code") this.#codeDigit(character);
    else if (character === "u") this.#place = "code";
    else {
      this.#place = "text";
      this.#append(ESCAPES[character] ?? character);
    }
    return 1;
  }

  #codeDigit(digit: string): void {
    this.#code += digit;
    if (this.#code.length < 4) return;
    this.#place = "text";
    this.#append(String.fromCharCode(Number.parseInt(this.#code, 16)));
    this.#code = "";
  }

  #structure(character: string): void {
    if (!/[\s"{}[\],:]/.test(character)) {
      if (this.#scalar.length <= MAX_SCALAR_LENGTH) this.#scalar += character;
      return;
    }
    if (this.#scalar !== "") this.#listener.value(this.#path, scalarOf(this.#scalar));
    this.#scalar = "";
    const key = this.#path.at(-1);
    if (character === '"') this.#place = "text";
    else if (character === "{" || character === "[") {
      this.#isKey = character === "{";
      this.#listener.open(this.#path, this.#isKey ? "object" : "array");
      this.#path.push(this.#isKey ? "" : 0);
    } else if (character === "}" || character === "]") {
      this.#isKey = false;
      if (this.#path.pop() !== undefined) this.#listener.close(this.#path);
    } else if (character === ",") {
      this.#isKey = typeof key === "string";
      if (typeof key === "number") this.#path[this.#path.length - 1] = key + 1;
    } else if (character === ":") this.#isKey = false;
  }

  #append(piece: string): void {
    const text = this.#half + piece;
    this.#half = /[\uD800-\uDBFF]$/.exec(text)?.[0] ?? "";
    this.#emit(text.slice(0, text.length - this.#half.length));
  }

  #emit(text: string): void {
    if (text === "") return;
    const whole = text.toWellFormed();
    this.#text += whole;
    if (!this.#isKey) this.#listener.text(this.#path, whole);
  }

  #endText(): void {
    this.#emit(this.#half);
    if (this.#isKey) this.#path[this.#path.length - 1] = this.#text;
    else this.#listener.value(this.#path, this.#text);
    this.#place = "between";
    this.#half = "";
    this.#text = "";
  }
}

function scalarOf(text: string): unknown {
  if (text === "null") return null;
  if (text === "true" || text === "false") return text === "true";
  const number = Number(text);
  return Number.isNaN(number) ? undefined : number;
}
