import type { Token, Tokens } from "marked";
import { element } from "./element.ts";
import type { MathToken } from "./math-token.ts";

const references = new Map<string, string>();

/** Text with its character references resolved by the browser's own table; one that is not known stays as it is. */
function decodeEntities(text: string): string {
  return text.replace(/&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]{2,8});/g, (reference) => {
    const known = references.get(reference) ?? parsedReference(reference);
    references.set(reference, known);
    return known;
  });
}

function parsedReference(reference: string): string {
  // A letter before it keeps the parser from dropping white space at the start of the document.
  return new DOMParser().parseFromString(`x${reference}`, "text/html").body.textContent.slice(1);
}

const depthLimit = 24;
const harmlessTag = /^<(\/?)(sub|sup|kbd|mark)>$/;

/** The nodes of inline tokens. HTML is shown as it was written, but for line breaks and a few tags without attributes. */
export function renderInline(tokens: readonly Token[], depth = 0): Node[] {
  const root = document.createDocumentFragment();
  const open: Node[] = [root];
  for (const token of tokens) {
    const parent = open.at(-1) ?? root;
    const tag = token.type === "html" ? harmlessTag.exec(token.raw) : null;
    if (!tag) parent.appendChild(renderToken(token as Tokens.Generic, depth));
    else if (tag[1]) closeTag(open, tag[2] ?? "", parent, token.raw);
    else open.push(parent.appendChild(element(tag[2] as "sub" | "sup" | "kbd" | "mark", "")));
  }
  return [...root.childNodes];
}

function closeTag(open: Node[], name: string, parent: Node, raw: string): void {
  if (parent.nodeName.toLowerCase() === name) open.pop();
  else parent.appendChild(document.createTextNode(raw));
}

function renderToken(token: Tokens.Generic, depth: number): Node {
  if (depth > depthLimit) return document.createTextNode(token.raw);
  const children = () => renderInline(token.tokens ?? [], depth + 1);
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return element(token.type, "", ...children());
    case "codespan":
      return element("code", "md-code", token.text);
    case "br":
      return element("br", "");
    case "link":
      return link(token.href, children());
    case "image":
      return link(token.href, [decodeEntities(token.text) || token.href.slice(0, 80)], "md-image");
    case "math":
      return inlineMath(token as MathToken);
    case "html":
      return /^<br *\/?>$/i.test(token.raw) ? element("br", "") : document.createTextNode(token.raw);
    case "escape":
      return document.createTextNode(token.text);
    case "text":
      return token.tokens ? fragment(children()) : document.createTextNode(decodeEntities(token.text));
    default:
      return document.createTextNode(token.raw);
  }
}

function link(address: string, children: readonly (Node | string)[], classes = ""): Node {
  const href = safeUrl(decodeEntities(address));
  if (!href) return element("span", classes, ...children);
  const anchor = element("a", classes, ...children);
  anchor.href = href;
  anchor.target = "_blank";
  anchor.rel = "noopener noreferrer";
  return anchor;
}

function inlineMath({ tex, display }: MathToken): Node {
  const source = element("span", display ? "md-math md-math-display" : "md-math", tex);
  source.dir = "ltr";
  return source;
}

function fragment(nodes: readonly Node[]): DocumentFragment {
  const made = document.createDocumentFragment();
  made.append(...nodes);
  return made;
}

const allowed = new Set(["http:", "https:", "mailto:"]);

/** The address if it is an absolute http, https or mailto URL. */
function safeUrl(address: string): string | undefined {
  // The browser's own parser judges, after it has dropped what it would drop: control characters, tabs, line ends.
  const url = URL.parse(address);
  return url && allowed.has(url.protocol) ? url.href : undefined;
}
