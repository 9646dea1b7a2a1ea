import type { Token, Tokens } from "marked";
import { element, textElement } from "./element.ts";
import type { MarkdownLabels } from "./labels.ts";
import type { MathToken } from "./math-token.ts";
import { renderCode } from "./render-code.ts";
import { renderInline } from "./render-inline.ts";
import { renderTable } from "./render-table.ts";
import type { Unit } from "./unit.ts";

/** The element that shows a unit; `above` is the level of the last heading before it. */
export function renderUnit(unit: Unit, labels: MarkdownLabels, above: number): HTMLElement {
  return unit.type === "item" ? renderItem(unit.item, labels) : renderBlock(unit.token, labels, above);
}

/** The level of the heading that an element is, if it is one. */
export function headingLevel({ localName }: Element): number | undefined {
  return /^h[3-6]$/.test(localName) ? Number(localName.slice(1)) : undefined;
}

/** An empty list for items of this one. */
export function renderList(list: Tokens.List): HTMLElement {
  if (!list.ordered) return element("ul", "");
  const made = element("ol", "");
  if (list.start !== "" && list.start !== 1) made.start = list.start;
  return made;
}

function renderBlock(token: Token, labels: MarkdownLabels, above?: number): HTMLElement {
  const block = token as Tokens.Generic;
  switch (block.type) {
    case "heading":
      return heading(block as Tokens.Heading, above);
    case "code":
      return renderCode(block as Tokens.Code, labels);
    case "blockquote":
      return textElement("blockquote", "", ...renderBlocks(block.tokens ?? [], labels));
    case "list": {
      const made = renderList(block as Tokens.List);
      made.append(...(block as Tokens.List).items.map((item) => renderItem(item, labels)));
      return made;
    }
    case "hr":
      return element("hr", "");
    case "table":
      return renderTable(block as Tokens.Table, labels);
    case "math":
      return math(block as MathToken);
    default:
      return textElement("p", "", ...(block.tokens ? renderInline(block.tokens) : [block.raw]));
  }
}

function renderBlocks(tokens: readonly Token[], labels: MarkdownLabels): HTMLElement[] {
  return tokens.filter(({ type }) => type !== "space" && type !== "def").map((it) => renderBlock(it, labels));
}

// A message stands under the page's own headings, so its first level is the page's third; none is left out on the way down.
// What is quoted or within a list is not a part of the page by itself.
function heading({ depth, tokens }: Tokens.Heading, above: number | undefined): HTMLElement {
  if (above === undefined) return textElement("p", `md-heading md-h${depth}`, ...renderInline(tokens));
  const name = (["h3", "h4", "h5", "h6"] as const)[Math.min(depth - 1, above - 2)] ?? "h6";
  return textElement(name, `md-heading md-h${depth}`, ...renderInline(tokens));
}

// Whether a list is loose is known only at its end, so all lists look the same and keep their nodes.
function renderItem(item: Tokens.ListItem, labels: MarkdownLabels): HTMLElement {
  const made = textElement("li", "", ...renderBlocks(item.tokens, labels));
  const text = made.firstChild?.firstChild;
  const box = text instanceof Text ? /^\[([ xX])\]\s+/.exec(text.data) : null;
  if (!box || !(text instanceof Text) || made.firstElementChild?.localName !== "p") return made;
  text.deleteData(0, box[0].length);
  const input = element("input", "");
  input.type = "checkbox";
  input.disabled = true;
  input.toggleAttribute("checked", box[1] !== " ");
  input.ariaLabel = box[1] === " " ? labels.notDone : labels.done;
  made.firstElementChild.prepend(input);
  made.className = "md-task";
  return made;
}

function math({ tex, closed }: MathToken): HTMLElement {
  if (!closed) return textElement("p", "md-math-open", tex);
  const made = element("div", "md-math md-math-display", tex);
  made.dir = "ltr";
  made.tabIndex = 0;
  return made;
}
