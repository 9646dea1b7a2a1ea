import type { TokenizerExtensionFunction, Tokens } from "marked";

/** A formula in TeX; `closed` is false while (or because) its closing delimiter is missing. */
export interface MathToken extends Tokens.Generic {
  type: "math";
  tex: string;
  display: boolean;
  closed: boolean;
}

const delimiters = [
  { open: "$$", close: "$$" },
  { open: "\\[", close: "\\]" },
];

/** Whether this line opens a block of math: nothing but the formula may stand on its lines. */
export function opensMath(line: string): boolean {
  const text = line.trim();
  return delimiters.some(({ open, close }) => {
    if (!text.startsWith(open) || /^ {4}|^\t/.test(line)) return false;
    const end = text.indexOf(close, open.length);
    return end === -1 || end + close.length === text.length;
  });
}

/**
 * A block of math, from a line that opens it to the line that ends with its delimiter. A blank line ends it too, so
 * that each line decides by itself and what was read stays as it is when more comes.
 */
export const blockMath: TokenizerExtensionFunction = (src) => {
  const firstLine = src.slice(0, lineEnd(src, 0));
  if (!opensMath(firstLine)) return undefined;
  const open = firstLine.trimStart().slice(0, 2);
  const close = delimiters.find((it) => it.open === open)?.close ?? open;
  let end = 0;
  for (let start = 0; start < src.length; start = end + 1) {
    const line = src.slice(start, lineEnd(src, start));
    if (line.trim() === "") break;
    end = start + line.length;
    const text = start === 0 ? line.trimStart().slice(open.length) : line;
    if (text.trimEnd().endsWith(close)) {
      const raw = src.slice(0, end + 1);
      const tex = raw.trim().slice(open.length, -close.length).trim();
      return { type: "math", raw, tex, display: true, closed: true } satisfies MathToken;
    }
  }
  const raw = src.slice(0, end + 1);
  return { type: "math", raw, tex: raw.trim(), display: true, closed: false } satisfies MathToken;
};

const inlineForms = [
  { pattern: /^\\\(([^\n]+?)\\\)/, display: false },
  { pattern: /^\\\[([^\n]+?)\\\]/, display: true },
  { pattern: /^\$\$([^$\n]+?)\$\$/, display: true },
  // Prices are more frequent than formulas: a single dollar needs a sign that only mathematics has.
  {
    pattern: /^\$(?=[A-Za-z]\$|[^$\n`]*[\\^_=+{<>])([^\s$`](?:[^$\n`]*[^\s$`\\])?)\$(?![\w$])/,
    display: false,
  },
];

/** Math within a line: \(…\), \[…\], $$…$$, and $…$ where it cannot be a price. */
export const inlineMath: TokenizerExtensionFunction = (src) => {
  for (const { pattern, display } of inlineForms) {
    const match = pattern.exec(src);
    if (match?.[1]) {
      return { type: "math", raw: match[0], tex: match[1].trim(), display, closed: true } satisfies MathToken;
    }
  }
  return undefined;
};

/** Where the next inline math may begin, so that plain text before it ends there. */
export function inlineMathStart(src: string): number | undefined {
  const index = src.search(/(?<![\w$\\])\$|\\[([]/);
  return index === -1 ? undefined : index;
}

function lineEnd(src: string, from: number): number {
  const index = src.indexOf("\n", from);
  return index === -1 ? src.length : index;
}
