import { Lexer, type Links, type Token, Tokenizer, type Tokens } from "marked";
import { blockMath, inlineMath, inlineMathStart, opensMath } from "./math-token.ts";

/** Longer inline text is not parsed: some patterns take quadratic time. */
const inlineLimit = 6144;
const nestingLimit = 16;
const lineDefinition =
  /^ {0,3}\[((?:[^[\]\\\n]|\\.)+)\]:[ \t]+(<[^<>\n]*>|[^\s<]\S*)(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*(?:\n|$)/;

/**
 * GitHub's Markdown with math, and three differences that let it be read line by line: no blocks of HTML (it is shown as
 * text), definitions of links on one line, and nesting that ends somewhere.
 */
class LineTokenizer extends Tokenizer {
  #depth = 0;

  override html(): undefined {
    return undefined;
  }

  override tag(src: string): Tokens.Tag | undefined {
    const { inLink, inRawBlock } = this.lexer.state;
    const token = super.tag(src);
    // A tag is text here, so it must not change how what follows is read.
    Object.assign(this.lexer.state, { inLink, inRawBlock });
    return token;
  }

  override def(src: string): Tokens.Def | undefined {
    const match = lineDefinition.exec(src);
    if (!match?.[1] || !match[2]) return undefined;
    const tag = match[1].toLowerCase().replace(/\s+/g, " ").trim();
    return { type: "def", tag, raw: match[0], href: match[2].replace(/^<|>$/g, ""), title: "" };
  }

  override blockquote(src: string): Tokens.Blockquote | undefined {
    return this.#nested(() => super.blockquote(src));
  }

  override list(src: string): Tokens.List | undefined {
    return this.#nested(() => super.list(src));
  }

  // A heading does not reach over a line that ends a paragraph.
  override lheading(src: string): Tokens.Heading | undefined {
    const token = super.lheading(src);
    if (!token) return undefined;
    const underline = token.raw.trimEnd().lastIndexOf("\n");
    const paragraph = this.rules.block.paragraph.exec(src)?.[0] ?? "";
    if (paragraph.length >= underline && !mathAfterFirstLine(token.raw)) return token;
    this.lexer.inlineQueue.pop();
    return undefined;
  }

  override paragraph(src: string): Tokens.Paragraph | undefined {
    const token = super.paragraph(src);
    const end = token && mathAfterFirstLine(token.raw);
    if (!token || !end) return token;
    // What super queued for the whole paragraph is replaced by what is queued for its beginning.
    this.lexer.inlineQueue.pop();
    const raw = token.raw.slice(0, end);
    const text = raw.trimEnd();
    return { type: "paragraph", raw, text, tokens: this.lexer.inline(text) };
  }

  #nested<T>(tokenize: () => T | undefined): T | undefined {
    if (this.#depth >= nestingLimit) return undefined;
    this.#depth += 1;
    try {
      return tokenize();
    } finally {
      this.#depth -= 1;
    }
  }
}

/** The tokens of a text as a whole, with its inline syntax, given the links that were defined before. */
export function lex(source: string, links: Links = {}): Token[] {
  const reading = readBlocks(source);
  reading.readInline(mergedLinks(reading.links, links));
  return reading.tokens;
}

/** Links of both; `known` ones come first. A label may be called like something that every object has. */
export function mergedLinks(added: Links, known: Links): Links {
  return Object.assign(Object.create(null), added, known);
}

/** The blocks of a text; their inline syntax is only read when it is asked for, given the links that are known. */
export function readBlocks(source: string): BlockReading {
  const lexer = newLexer();
  const tokens = lexer.blockTokens(source, lexer.tokens);
  const readInline = (links: Links) => {
    lexer.tokens.links = links;
    for (const { src, tokens: target } of lexer.inlineQueue) {
      if (src.length > inlineLimit) target.push({ type: "text", raw: src, text: src });
      else lexer.inlineTokens(src, target);
    }
  };
  return { tokens, links: lexer.tokens.links, readInline };
}

/** A text cut into blocks. */
export interface BlockReading {
  readonly tokens: Token[];
  readonly links: Links;
  readInline(links: Links): void;
}

function newLexer(): Lexer {
  const tokenizer = new LineTokenizer();
  const lexer = new Lexer({
    gfm: true,
    tokenizer,
    extensions: {
      block: [blockMath],
      inline: [inlineMath],
      startInline: [inlineMathStart],
      renderers: {},
      childTokens: {},
    },
  });
  // Boxes of tasks are told apart when an item is shown: marked looks for them across items.
  const { rules } = tokenizer;
  tokenizer.rules = { ...rules, other: { ...rules.other, listIsTask: /(?!)/ } };
  return lexer;
}

function mathAfterFirstLine(paragraph: string): number | undefined {
  if (!/\n {0,3}(?:\$\$|\\\[)/.test(paragraph)) return undefined;
  for (let end = paragraph.indexOf("\n"); end !== -1; end = paragraph.indexOf("\n", end + 1)) {
    const next = paragraph.slice(end + 1);
    if (opensMath(next.split("\n", 1)[0] ?? "")) return end + 1;
  }
  return undefined;
}
