const CALL = /\b(?:it|test|describe)((?:\.\w+)*)\s*(?=[<(])/y;
const WORD = /\w+/y;
const QUOTES = new Set(['"', "'", "`"]);
const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };

/** The titles of the tests and suites in a file's source, as they are written; what comments and texts hold is none. */
export function testTitles(source: string): string[] {
  const titles: string[] = [];
  for (let position = 0; position < source.length; ) {
    const character = source[position] ?? "";
    const [call, modifiers = ""] = matchAt(CALL, source, position) ?? [];
    if (call !== undefined) {
      position = titlePlace(source, position + call.length, modifiers);
      const title = titleAt(source, position);
      if (title !== undefined) titles.push(title);
    } else if (QUOTES.has(character)) position = afterQuote(source, position);
    else if (character === "/") position = afterSlash(source, position);
    else position += matchAt(WORD, source, position)?.[0].length ?? 1;
  }
  return titles;
}

/** Where the call with the title opens: after the table of an `each`. */
function titlePlace(source: string, start: number, modifiers: string): number {
  if (!modifiers.endsWith(".each")) return start;
  const table = source[start] === "<" ? afterBracket(source, start) : start;
  return skipSpace(source, afterBracket(source, table));
}

function matchAt(pattern: RegExp, source: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(source);
}

function titleAt(source: string, position: number): string | undefined {
  if (source[position] !== "(") return undefined;
  const start = skipSpace(source, position + 1);
  if (!QUOTES.has(source[start] ?? "")) return undefined;
  return source.slice(start + 1, afterQuote(source, start) - 1);
}

function skipSpace(source: string, position: number): number {
  return position + (matchAt(/\s*/y, source, position)?.[0].length ?? 0);
}

/** The place after the bracket that closes the one here; what stands in quotes and comments does not count. */
function afterBracket(source: string, start: number): number {
  const open: string[] = [];
  for (let position = start; position < source.length; position++) {
    const character = source[position] ?? "";
    if (QUOTES.has(character)) position = afterQuote(source, position) - 1;
    else if (character === "/") position = afterSlash(source, position) - 1;
    else if (character === "<" && position !== start) continue;
    else if (CLOSING[character]) open.push(CLOSING[character]);
    else if (character === open.at(-1)) {
      open.pop();
      if (open.length === 0) return position + 1;
    }
  }
  return source.length;
}

function afterQuote(source: string, start: number): number {
  for (let position = start + 1; position < source.length; position++) {
    if (source[position] === "\\") position++;
    else if (source[position] === source[start]) return position + 1;
  }
  return source.length;
}

/** After a comment or a regular expression; a slash that divides stands alone. */
function afterSlash(source: string, start: number): number {
  if (source[start + 1] === "/") return source.indexOf("\n", start);
  if (source[start + 1] === "*") return source.indexOf("*/", start) + 2;
  const before = source.slice(Math.max(0, start - 20), start);
  const code = before.trimEnd();
  const isExpression = /[(,=:[!&|?{}>]$/.test(code) || before.slice(code.length).includes("\n");
  const expression = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/[\\\n])+\//y;
  expression.lastIndex = start;
  return isExpression && expression.test(source) ? expression.lastIndex : start + 1;
}
