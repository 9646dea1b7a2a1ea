/** Hears what is in a JSON text, in order. */
export interface JsonListener {
  open(kind: "object" | "array"): void;
  close(): void;
  key(name: string): void;
  /** A piece of a text value; never half of a surrogate pair. */
  text(piece: string): void;
  textEnd(): void;
  /** A number, true, false or null; undefined where it is none of these. */
  scalar(value: unknown): void;
}

const MAX_SCALAR_LENGTH = 64;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

/**
 * Reads JSON in pieces, each character once. What is no JSON is read as far as it looks like it and never throws:
 * whoever needs to know parses the whole.
 */
export class JsonScanner {
  readonly #listener: JsonListener;
  /** Whether each open bracket is an object's, outermost first. */
  readonly #objects: boolean[] = [];
  #place: "between" | "text" | "escape" | "code" = "between";
  #afterColon = false;
  #key: string | undefined;
  #half = "";
  #code = "";
  #scalar = "";

  constructor(listener: JsonListener) {
    this.#listener = listener;
  }

  add(piece: string): void {
    for (let at = 0; at < piece.length; )
      at += this.#place === "text" ? this.#run(piece, at) : this.#one(piece, at);
  }

  /** Takes the characters of a text up to the next that is special, and returns how many it took. */
  #run(piece: string, at: number): number {
    const plain = /[^"\\]*/y;
    plain.lastIndex = at;
    const [run = ""] = plain.exec(piece) ?? [];
    if (run !== "") {
      this.#say(run);
      return run.length;
    }
    if (piece[at] === "\\") this.#place = "escape";
    else this.#endText();
    return 1;
  }

  #one(piece: string, at: number): number {
    const character = piece.charAt(at);
    if (this.#place === "between") this.#structure(character);
    else if (this.#place === "code") this.#codeDigit(character);
    else if (character === "u") this.#place = "code";
    else {
      this.#place = "text";
      this.#say(ESCAPES[character] ?? character);
    }
    return 1;
  }

  #codeDigit(digit: string): void {
    this.#code += digit;
    if (this.#code.length < 4) return;
    this.#place = "text";
    this.#say(String.fromCharCode(Number.parseInt(this.#code, 16)));
    this.#code = "";
  }

  #structure(character: string): void {
    switch (character) {
      case '"':
        this.#endScalar();
        this.#place = "text";
        this.#key = this.#objects.at(-1) && !this.#afterColon ? "" : undefined;
        return;
      case "{":
      case "[":
        this.#endScalar();
        this.#objects.push(character === "{");
        this.#afterColon = false;
        this.#listener.open(character === "{" ? "object" : "array");
        return;
      case "}":
      case "]":
        this.#endScalar();
        this.#afterColon = false;
        if (this.#objects.pop() !== undefined) this.#listener.close();
        return;
      case ",":
      case ":":
        this.#endScalar();
        this.#afterColon = character === ":";
        return;
      case " ":
      case "\n":
      case "\r":
      case "\t":
        this.#endScalar();
        return;
      default:
        if (this.#scalar.length <= MAX_SCALAR_LENGTH) this.#scalar += character;
    }
  }

  #say(piece: string): void {
    const text = this.#half + piece;
    this.#half = /[\uD800-\uDBFF]$/.exec(text)?.[0] ?? "";
    this.#tell(text.slice(0, text.length - this.#half.length));
  }

  #tell(text: string): void {
    if (text === "") return;
    const whole = text.toWellFormed();
    if (this.#key === undefined) this.#listener.text(whole);
    else this.#key += whole;
  }

  #endText(): void {
    this.#tell(this.#half);
    this.#half = "";
    this.#place = "between";
    if (this.#key === undefined) this.#listener.textEnd();
    else this.#listener.key(this.#key);
  }

  #endScalar(): void {
    if (this.#scalar === "") return;
    this.#listener.scalar(scalarOf(this.#scalar));
    this.#scalar = "";
  }
}

function scalarOf(text: string): unknown {
  if (text === "null") return null;
  if (text === "true" || text === "false") return text === "true";
  const number = Number(text);
  return Number.isNaN(number) ? undefined : number;
}
