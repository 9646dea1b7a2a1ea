import { ToolFailure } from "../tool-answer.ts";
import { constants, factorial, functions, remainder } from "./functions.ts";
import { type Token, tokens } from "./tokens.ts";

const MAX_LENGTH = 10_000;
const MAX_DEPTH = 200;
/** The exact digits of a double; the rest is rounding noise, as in 0.1 + 0.2. */
const CERTAIN_DIGITS = 15;

/**
 * Evaluates an arithmetic expression; throws a `ToolFailure` with the mistake and its position.
 *
 *     sum     = product (("+" | "-") product)*
 *     product = sign (("*" | "/" | "mod" | "of") sign | power)*      a number before ( or a name multiplies
 *     sign    = ("+" | "-") sign | power
 *     power   = postfix ("^" sign)?                                  from the right: 2^3^2 = 2^9, -2^2 = -4
 *     postfix = atom ("!" | "%")*
 *     atom    = number | constant | function "(" sum ("," sum)* ")" | "(" sum ")"
 */
export function evaluate(expression: string): number {
  if (expression.trim() === "")
    throw new ToolFailure("The expression is empty: write something like (2 + 3) * 4.");
  if (expression.length > MAX_LENGTH)
    throw new ToolFailure(`The expression is longer than ${MAX_LENGTH} characters.`);
  const value = new Parser(tokens(expression)).parse();
  if (!Number.isFinite(value)) throw new ToolFailure("The result is too large or not a number.");
  const certain = Number(value.toPrecision(CERTAIN_DIGITS));
  return Number.isSafeInteger(value) || certain === 0 ? value : certain;
}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(all: readonly Token[]) {
    this.#tokens = all;
  }

  parse(): number {
    const value = this.#sum();
    const rest = this.#peek();
    if (rest) throw new ToolFailure(`${shown(rest)} at position ${rest.at} is not expected there.`);
    return value;
  }

  #sum(): number {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw new ToolFailure(`The expression is nested deeper than ${MAX_DEPTH} levels.`);
    let value = this.#product();
    for (;;) {
      if (this.#take("+")) value += this.#product();
      else if (this.#take("-")) value -= this.#product();
      else break;
    }
    this.#depth -= 1;
    return value;
  }

  #product(): number {
    let value = this.#sign();
    for (;;) {
      if (this.#take("*") || this.#takeName("of")) value *= this.#sign();
      else if (this.#take("/")) value = divide(value, this.#sign());
      else if (this.#take("%") || this.#takeName("mod")) value = remainder(value, this.#sign());
      else if (this.#beginsFactor()) value *= this.#power();
      else return value;
    }
  }

  #sign(): number {
    let sign = 1;
    for (;;) {
      if (this.#take("-")) sign = -sign;
      else if (!this.#take("+")) return sign * this.#power();
    }
  }

  #power(): number {
    const base = this.#postfix();
    if (!this.#take("^")) return base;
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw new ToolFailure(`The expression is nested deeper than ${MAX_DEPTH} levels.`);
    const exponent = this.#sign();
    this.#depth -= 1;
    if (base === 0 && exponent < 0) throw new ToolFailure("Nothing can be divided by zero.");
    const value = base ** exponent;
    if (Number.isNaN(value)) throw new ToolFailure(`${base} ^ ${exponent} is not a real number.`);
    return value;
  }

  #postfix(): number {
    let value = this.#atom();
    for (;;) {
      if (this.#take("!")) value = factorial(value);
      else if (this.#isPercent()) value /= 100;
      else return value;
    }
  }

  #atom(): number {
    const token = this.#peek();
    if (!token) throw new ToolFailure("The expression ends where a number is expected.");
    this.#next += 1;
    if (token.type === "number") return token.value;
    if (token.type === "name") return this.#named(token.name, token.at);
    if (token.symbol !== "(") {
      throw new ToolFailure(`A number is expected at position ${token.at}, in place of ${token.symbol}.`);
    }
    const value = this.#sum();
    this.#close(token.at);
    return value;
  }

  #named(name: string, at: number): number {
    const constant = constants.get(name);
    if (constant !== undefined) return constant;
    const called = functions.get(name);
    if (!called) {
      const known = [...functions.keys(), ...constants.keys()].join(", ");
      throw new ToolFailure(`${name} at position ${at} is not known. Known are: ${known}.`);
    }
    if (!this.#take("("))
      throw new ToolFailure(`${name} at position ${at} needs its argument in parentheses.`);
    const values: number[] = [];
    if (!this.#sees(")")) {
      do values.push(this.#sum());
      while (this.#take(","));
    }
    this.#close(at);
    if (values.length < called.least || values.length > called.most) {
      const wanted = called.least === called.most ? called.least : `${called.least} to ${called.most}`;
      throw new ToolFailure(`${name} takes ${wanted} arguments, and was given ${values.length}.`);
    }
    return called.apply(...values);
  }

  #close(opened: number): void {
    if (!this.#take(")")) throw new ToolFailure(`The parenthesis of position ${opened} is never closed.`);
  }

  /** `15%` is a percentage, `15 % 4` a remainder: it depends on what follows. */
  #isPercent(): boolean {
    if (!this.#sees("%")) return false;
    const after = this.#tokens[this.#next + 1];
    const isOperand =
      after?.type === "number" ||
      (after?.type === "name" && after.name !== "of" && after.name !== "mod") ||
      (after?.type === "symbol" && after.symbol === "(");
    if (!isOperand) this.#next += 1;
    return !isOperand;
  }

  /** `2(3 + 4)` and `2 pi` multiply; `2 3` is a mistake. */
  #beginsFactor(): boolean {
    const token = this.#peek();
    return token?.type === "name" || (token?.type === "symbol" && token.symbol === "(");
  }

  #sees(symbol: string): boolean {
    const token = this.#peek();
    return token?.type === "symbol" && token.symbol === symbol;
  }

  #take(symbol: string): boolean {
    const found = this.#sees(symbol);
    if (found) this.#next += 1;
    return found;
  }

  #takeName(name: string): boolean {
    const token = this.#peek();
    const found = token?.type === "name" && token.name === name;
    if (found) this.#next += 1;
    return found;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#next];
  }
}

function divide(value: number, by: number): number {
  if (by === 0) throw new ToolFailure("Nothing can be divided by zero.");
  return value / by;
}

function shown(token: Token): string {
  if (token.type === "number") return String(token.value);
  return token.type === "name" ? token.name : token.symbol;
}
