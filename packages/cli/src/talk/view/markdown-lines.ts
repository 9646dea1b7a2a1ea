import { type Line, type Span, span, wrapped } from "../../terminal/line.ts";

/** The open code fence before a line, if there is one. */
export type OpenFence = string | undefined;

/** Renders one line of Markdown, and returns the fence that is open after it. */
export function markdownLine(
  text: string,
  fence: OpenFence,
  width: number,
): { readonly lines: readonly Line[]; readonly fence: OpenFence } {
  const [, mark, rest = ""] = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))(.*)$/.exec(text) ?? [];
  if (fence !== undefined) {
    const isEnd = mark?.startsWith(fence) && rest.trim() === "";
    if (isEnd) return { lines: [], fence: undefined };
    const bar = [span("│ ", "quiet")];
    return { lines: wrapped([span(text, "code")], width, { first: bar, rest: bar }), fence };
  }
  if (mark !== undefined && !rest.includes("`"))
    return { lines: rest.trim() === "" ? [] : [[span(`│ ${rest.trim()}`, "quiet")]], fence: mark };
  return { lines: proseLines(text, width), fence: undefined };
}

function proseLines(text: string, width: number): readonly Line[] {
  const title = /^#{1,6} +(?! )(.*)$/.exec(text)?.[1]?.replace(/(?<! ) +#+$/, "");
  if (title !== undefined) return wrapped([span(unmarked(title), "heading")], width);
  if (/^ {0,3}([-*_])( *\1){2,} *$/.test(text)) return [[span("─".repeat(Math.min(width, 24)), "quiet")]];
  const [, indent = "", mark, item = ""] = /^(\s*)([-*+]|\d{1,9}[.)]) +(?! )(.*)$/.exec(text) ?? [];
  if (mark !== undefined) {
    const bullet = /^\d/.test(mark) ? mark : "•";
    const first = `${indent.replaceAll("\t", "    ").slice(0, 8)}${bullet} `;
    return wrapped(inlineSpans(item), width, {
      first: [span(first, "quiet")],
      rest: [span(" ".repeat(first.length))],
    });
  }
  const [, quoted] = /^ {0,3}> ?(.*)$/.exec(text) ?? [];
  if (quoted !== undefined) {
    const bar = [span("▌ ", "quiet")];
    return wrapped(inlineSpans(quoted), width, { first: bar, rest: bar });
  }
  return wrapped(inlineSpans(text), width);
}

/** Code, bold, italics and links; unclosed marks stay as they are. */
const INLINE =
  /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)|\*\*(?=\S)(.+?)(?<=\S)\*\*|(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])|(?<!\w)_(?=\S)([^_]+?)(?<=\S)_(?!\w)|\[([^[\]]+)\]\(([^)\s]+)\)/g;

/** Longer lines are not prose, and matching them is slow. */
const MAX_PROSE_LENGTH = 2_000;

/** Parses the inline marks of a line. */
export function inlineSpans(text: string): readonly Span[] {
  if (text.length > MAX_PROSE_LENGTH) return [span(text)];
  const spans: Span[] = [];
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index > from) spans.push(span(text.slice(from, found.index)));
    spans.push(...spansOf(found));
    from = found.index + found[0].length;
  }
  if (from < text.length) spans.push(span(text.slice(from)));
  return spans;
}

function spansOf([whole, , code, bold, starred, underlined, label, address]: RegExpExecArray): Span[] {
  if (code !== undefined) return [span(code, "code")];
  if (bold !== undefined) return [span(unmarked(bold), "strong")];
  const italic = starred ?? underlined;
  if (italic !== undefined) return [span(italic, "emphasis")];
  if (label === undefined || address === undefined) return [span(whole)];
  // The target of a link is always visible.
  return label === address ? [span(address)] : [span(label), span(` (${address})`, "quiet")];
}

function unmarked(text: string): string {
  return inlineSpans(text)
    .map((each) => each.text)
    .join("");
}

/** The indentation of nested lines. */
export const INDENT = "  ";
