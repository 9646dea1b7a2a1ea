import type { Token, Tokens } from "marked";
import { decodeEntities } from "./decode-entities.ts";
import { lex } from "./dialect.ts";
import { englishLabels, type MarkdownLabels } from "./labels.ts";

/** What Markdown says, as it would be read aloud: without its signs, code only named, a paragraph to a line. */
export function plainText(markdown: string, labels: MarkdownLabels = englishLabels): string {
  const lines = lex(markdown.replace(/\r\n?/g, "\n")).flatMap((token) => blockLines(token, labels));
  return lines.filter((line) => line !== "").join("\n");
}

function blockLines(token: Token, labels: MarkdownLabels): string[] {
  const block = token as Tokens.Generic;
  switch (block.type) {
    case "space":
    case "def":
    case "hr":
      return [];
    case "code":
      return [`${labels.code}${block.lang ? `: ${block.lang}` : ""}.`];
    case "list":
      return (block as Tokens.List).items.flatMap((item) =>
        item.tokens.flatMap((it) => blockLines(it, labels)),
      );
    case "blockquote":
      return (block.tokens ?? []).flatMap((it) => blockLines(it, labels));
    case "table": {
      const { header, rows } = block as Tokens.Table;
      return [header, ...rows].map((cells) => cells.map((cell) => inlineText(cell.tokens)).join(", "));
    }
    case "math":
      return [block.tex];
    default:
      return [
        inlineText(block.tokens ?? [])
          .replace(/\s+/g, " ")
          .trim(),
      ];
  }
}

function inlineText(tokens: readonly Token[]): string {
  return tokens.map((token) => tokenText(token as Tokens.Generic)).join("");
}

function tokenText(token: Tokens.Generic): string {
  if (token.type === "br") return " ";
  if (token.type === "html") return /^<br *\/?>$/i.test(token.raw) ? " " : token.raw;
  if (token.type === "math") return token.tex;
  if (token.type === "codespan" || token.type === "escape") return token.text;
  return token.tokens ? inlineText(token.tokens) : decodeEntities(token.text ?? token.raw);
}
