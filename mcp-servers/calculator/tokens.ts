import { ToolFailure } from "../tool-answer.ts";

/** A piece of an expression, with its place, counted from 1. */
export type Token =
  | { readonly type: "number"; readonly value: number; readonly at: number }
  | { readonly type: "name"; readonly name: string; readonly at: number }
  | { readonly type: "symbol"; readonly symbol: string; readonly at: number };

/** What people type, and what it means. */
const synonyms: Readonly<Record<string, string>> = {
  "×": "*",
  "·": "*",
  "÷": "/",
  "−": "-",
  "–": "-",
  "**": "^",
  "[": "(",
  "]": ")",
};
const shape =
  /\s*(?:(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>[A-Za-zπ_][A-Za-z0-9_]*)|(?<symbol>\*\*|[-+*/^%!(),×·÷−–[\]]))/uy;

/** Cuts an expression into tokens; throws a `ToolFailure` at what belongs to none. */
export function tokens(expression: string): Token[] {
  const found: Token[] = [];
  const text = expression.trimEnd();
  shape.lastIndex = 0;
  while (shape.lastIndex < text.length) {
    const start = shape.lastIndex;
    const groups = shape.exec(text)?.groups;
    if (!groups) throw strange(text, start);
    const at = shape.lastIndex - (groups.number ?? groups.name ?? groups.symbol ?? "").length + 1;
    if (groups.number !== undefined) found.push({ type: "number", value: Number(groups.number), at });
    else if (groups.name !== undefined) found.push({ type: "name", name: groups.name.toLowerCase(), at });
    else if (groups.symbol !== undefined) {
      found.push({ type: "symbol", symbol: synonyms[groups.symbol] ?? groups.symbol, at });
    }
  }
  return found;
}

function strange(text: string, start: number): ToolFailure {
  const at = start + (/\S/.exec(text.slice(start))?.index ?? 0);
  const character = String.fromCodePoint(text.codePointAt(at) ?? 32);
  return new ToolFailure(
    `The character ${JSON.stringify(character)} at position ${at + 1} has no meaning in an expression.`,
  );
}
