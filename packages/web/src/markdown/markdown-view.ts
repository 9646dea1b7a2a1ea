import { appendCode } from "./code-parts.ts";
import { element } from "./element.ts";
import { enhance } from "./enhance.ts";
import type { MarkdownLabels } from "./labels.ts";
import type { MarkdownChange } from "./markdown-stream.ts";
import { morphChildren } from "./morph.ts";
import { headingLevel, renderList, renderUnit } from "./render-block.ts";
import type { Unit } from "./unit.ts";

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

  /** Shows what changed. */
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
