import type { Token, Tokens } from "marked";
import type { Strings } from "../app/strings/en.ts";
import { appendCode } from "./code-parts.ts";
import { element, textElement } from "./element.ts";
import type { MarkdownChange } from "./markdown-stream.ts";
import type { MathToken } from "./math-token.ts";
import { morphChildren } from "./morph.ts";
import { renderInline } from "./render-inline.ts";
import type { Unit } from "./unit.ts";

/** The texts that a reader of Markdown sees or hears besides its own. */
export type MarkdownLabels = Strings["markdown"];

const highlightLimit = 20_000;

let queue: Promise<void> = Promise.resolve();

/** Highlights code and typesets math in a settled element; the libraries are loaded on first use. */
function enhance(root: HTMLElement): void {
  for (const figure of withClass(root, "md-block")) enqueue(figure, highlight);
  for (const formula of withClass(root, "md-math")) enqueue(formula, typeset);
}

// One after the other, and each in a task of its own: a long history must not stop the page when it is opened.
function enqueue(target: HTMLElement, work: (target: HTMLElement) => Promise<void>): void {
  queue = queue.then(async () => {
    await new Promise((resolve) => setTimeout(resolve));
    if (target.isConnected) await work(target).catch(reportError);
  });
}

async function highlight(figure: HTMLElement): Promise<void> {
  const code = figure.querySelector("code");
  const { language } = figure.dataset;
  if (!code || !language || code.textContent.length > highlightLimit) return;
  const { highlightedNodes } = await import("./highlighting/highlighted-nodes.ts");
  const text = code.textContent;
  const nodes = await highlightedNodes(text, language);
  if (nodes && code.textContent === text) code.replaceChildren(...nodes);
}

async function typeset(formula: HTMLElement): Promise<void> {
  const { mathElement } = await import("./math/math-element.ts");
  const math = mathElement(formula.textContent, formula.classList.contains("md-math-display"));
  if (math) formula.replaceChildren(math);
  formula.classList.add(math ? "md-math-set" : "md-math-failed");
}

function withClass(root: HTMLElement, name: string): HTMLElement[] {
  const inside = [...root.querySelectorAll<HTMLElement>(`.${name}`)];
  return root.classList.contains(name) ? [root, ...inside] : inside;
}

/** The nodes of Markdown that grows: settled ones are never touched again, the tail is made to look as it should. */
export class MarkdownView {
  readonly #root: HTMLElement;
  readonly #labels: MarkdownLabels;
  readonly #settled: HTMLElement[] = [];
  /** How many children of the root are settled, and of the list at the end of them. */
  #blocks = 0;
  #list: HTMLElement | undefined;
  #items = 0;
  /** Of the last heading that is settled: of the one that the text stands under, where there is none. */
  #level = 2;

  constructor(root: HTMLElement, labels: MarkdownLabels) {
    this.#root = root;
    this.#labels = labels;
  }

  apply({ settled, tail, more, revised }: MarkdownChange): void {
    if (tail) {
      this.#show([...settled, ...tail]);
      this.#settle(settled);
    }
    if (more) this.#append(more);
    for (const [place, unit] of revised) this.#revise(place, unit);
  }

  #show(units: readonly Unit[]): void {
    const items: HTMLElement[] = [];
    const blocks: HTMLElement[] = [];
    let level = this.#level;
    for (const unit of units) {
      const made = renderUnit(unit, this.#labels, level);
      level = headingLevel(made) ?? level;
      if (unit.type === "block") blocks.push(made);
      else if (!unit.continues) blocks.push(withItem(renderList(unit.list), made));
      else if (blocks.length > 0) blocks.at(-1)?.append(made);
      else items.push(made);
    }
    if (this.#list) morphChildren(this.#list, this.#items, items);
    morphChildren(this.#root, this.#blocks, blocks);
  }

  #settle(units: readonly Unit[]): void {
    for (const unit of units) {
      const continues = unit.type === "item" && unit.continues;
      if (!continues) {
        this.#list = undefined;
        this.#blocks += 1;
      }
      const block = this.#root.children[this.#blocks - 1];
      if (!(block instanceof HTMLElement))
        throw new Error("A settled unit has no element: report this text.");
      if (unit.type === "item") {
        this.#items = this.#list ? this.#items + 1 : 1;
        this.#list = block;
      }
      const shown = unit.type === "item" ? block.children[this.#items - 1] : block;
      this.#level = headingLevel(block) ?? this.#level;
      if (shown instanceof HTMLElement) {
        this.#settled.push(shown);
        enhance(shown);
      }
    }
  }

  #append(more: string): void {
    const last = this.#root.lastElementChild;
    const code = last?.matches("figure") ? last.querySelector("code") : null;
    if (code) appendCode(code, more);
    else (last?.matches(".md-more") ? last : this.#root.appendChild(element("p", "md-more"))).append(more);
  }

  #revise(place: number, unit: Unit): void {
    const before = this.#settled[place];
    const level = before && headingLevel(before);
    const made = renderUnit(unit, this.#labels, (level ?? 3) - 1);
    before?.replaceWith(made);
    this.#settled[place] = made;
    enhance(made);
  }
}

function withItem(list: HTMLElement, item: HTMLElement): HTMLElement {
  list.append(item);
  return list;
}

function renderUnit(unit: Unit, labels: MarkdownLabels, above: number): HTMLElement {
  return unit.type === "item" ? renderItem(unit.item, labels) : renderBlock(unit.token, labels, above);
}

function headingLevel({ localName }: Element): number | undefined {
  return /^h[3-6]$/.test(localName) ? Number(localName.slice(1)) : undefined;
}

function renderList(list: Tokens.List): HTMLElement {
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

function renderCode({ lang = "", text }: Tokens.Code, labels: MarkdownLabels): HTMLElement {
  const language = /^[\w+#.-]{1,24}/.exec(lang.trim())?.[0] ?? "";
  const code = element("code", "");
  appendCode(code, text.replace(/(?<!\n)\n+$/, ""));
  const box = element("pre", "", code);
  box.dir = "ltr";
  box.tabIndex = 0;
  const copy = element("button", "md-copy", labels.copy);
  copy.type = "button";
  const label = element("span", "md-language", language || labels.code);
  const figure = element("figure", "md-block", element("figcaption", "", label, copy), box);
  if (language) figure.dataset.language = language.toLowerCase();
  return figure;
}

function renderTable(token: Tokens.Table, labels: MarkdownLabels): HTMLElement {
  const head = element("thead", "", row(token.header, "th"));
  const body = element("tbody", "", ...token.rows.map((cells) => row(cells, "td")));
  const box = element("div", "md-table", element("table", "", head, body));
  box.tabIndex = 0;
  box.role = "group";
  box.ariaLabel = labels.table;
  return box;
}

function row(cells: readonly Tokens.TableCell[], name: "td" | "th"): HTMLElement {
  return element("tr", "", ...cells.map((cell) => tableCell(cell, name)));
}

function tableCell({ tokens, align }: Tokens.TableCell, name: "td" | "th"): HTMLElement {
  return textElement(name, align ? `md-${align}` : "", ...renderInline(tokens));
}
