/** JSON that knows in which line everything in it begins. */
export interface LocatedJson {
  readonly value: unknown;
  /** The line of what is at this path, or of the nearest thing around it. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** The text is not JSON; the message says what was expected, and quotes nothing, because there may be secrets. */
export class JsonTextError extends Error {
  /** Counted from 1. */
  readonly line: number;
  constructor(expected: string, line: number) {
    super(`expected ${expected}`);
    this.line = line;
  }
}

/** Roughly; what a text or number may be exactly, `JSON.parse` decides. */
const TOKEN = /[{}[\],:]|"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/uy;
const DEEPEST = 64;

/** Reads JSON; throws JsonTextError where `JSON.parse` would throw, and also on a key that is there twice. */
export function locateJson(text: string): LocatedJson {
  return new Reader(text.replace(/^\uFEFF/, "")).document();
}

class Reader {
  readonly #text: string;
  readonly #lines = new Map<string, number>();
  #position = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  document(): LocatedJson {
    const value = this.#value([]);
    this.#skipSpace();
    if (this.#position < this.#text.length) throw this.#expected("the end of the file");
    return { value, lineOf: (path) => this.#lineOf(path) };
  }

  #lineOf(path: readonly PropertyKey[]): number {
    return this.#lines.get(JSON.stringify(path)) ?? (path.length === 0 ? 1 : this.#lineOf(path.slice(0, -1)));
  }

  #value(path: readonly PropertyKey[]): unknown {
    if (path.length > DEEPEST) throw this.#expected(`at most ${DEEPEST} levels`);
    const token = this.#next("a value");
    if (!this.#lines.has(JSON.stringify(path))) this.#note(path);
    if (token === "{") return this.#object(path);
    if (token === "[") return this.#list(path);
    return this.#scalar(token, "a value");
  }

  #object(path: readonly PropertyKey[]): object {
    const members = new Map<string, unknown>();
    if (this.#took("}")) return {};
    do {
      const key = this.#scalar(this.#next("a name in quotes"), "a name in quotes");
      if (typeof key !== "string") throw this.#expected("a name in quotes");
      if (members.has(key)) throw this.#expected(`only one ${JSON.stringify(key)}`);
      this.#note([...path, key]);
      if (!this.#took(":")) throw this.#expected("a colon");
      members.set(key, this.#value([...path, key]));
    } while (this.#took(","));
    if (!this.#took("}")) throw this.#expected("a comma or }");
    return Object.fromEntries(members);
  }

  #list(path: readonly PropertyKey[]): unknown[] {
    const items: unknown[] = [];
    if (this.#took("]")) return items;
    do items.push(this.#value([...path, items.length]));
    while (this.#took(","));
    if (!this.#took("]")) throw this.#expected("a comma or ]");
    return items;
  }

  #scalar(token: string, expected: string): unknown {
    try {
      return JSON.parse(token);
    } catch {
      throw this.#expected(expected);
    }
  }

  #took(token: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#position] !== token) return false;
    this.#position += 1;
    return true;
  }

  #next(expected: string): string {
    this.#skipSpace();
    TOKEN.lastIndex = this.#position;
    const token = TOKEN.exec(this.#text)?.[0];
    if (token === undefined) throw this.#expected(expected);
    this.#position = TOKEN.lastIndex;
    return token;
  }

  #skipSpace(): void {
    for (; /[ \t\r\n]/.test(this.#text.charAt(this.#position)); this.#position++) {
      if (this.#text[this.#position] === "\n") this.#line += 1;
    }
  }

  #note(path: readonly PropertyKey[]): void {
    this.#lines.set(JSON.stringify(path), this.#line);
  }

  #expected(what: string): JsonTextError {
    return new JsonTextError(what, this.#line);
  }
}
