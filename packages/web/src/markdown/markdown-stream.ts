import { BlockSplitter, pieceSize } from "./block-splitter.ts";
import { lex } from "./dialect.ts";
import { LateLinks } from "./late-links.ts";
import type { OpenFence } from "./open-fence.ts";
import { repairTail } from "./repair-tail.ts";
import { isShown, type Unit, unitsOf } from "./unit.ts";

/** What a piece of text changed. */
export interface MarkdownChange {
  /** Units that follow those settled before and will not change any more. */
  readonly settled: readonly Unit[];
  /** Units after the settled ones, as they look now; undefined when they are as before. */
  readonly tail: readonly Unit[] | undefined;
  /** Text to be added, as it is, to the end of the tail. */
  readonly more: string;
  /** Settled units, by their place, that look different because of links that were defined after them. */
  readonly revised: ReadonlyMap<number, Unit>;
}

type Tail = Pick<MarkdownChange, "tail" | "more">;

/** Markdown that grows: what of it is settled, and how its end looks meanwhile, at a cost linear in its length. */
export class MarkdownStream {
  readonly #blocks = new BlockSplitter();
  readonly #lateLinks = new LateLinks();
  #held = "";
  #tailRead = 0;
  #tailShown = 0;
  #charactersRead = 0;

  /** How many characters were read so far, again and again where that was needed. */
  get charactersRead(): number {
    return this.#charactersRead + this.#blocks.charactersRead;
  }

  /** Takes further text. */
  append(text: string): MarkdownChange {
    const before = this.#blocks.fence;
    const settled = this.#blocks.feed(this.#whole(text));
    this.#lateLinks.add(settled, this.#blocks.links);
    const { fence } = this.#blocks;
    const isNew = settled.length > 0 || fence !== before;
    return { settled, ...(fence ? this.#fence(fence, isNew) : this.#tail(isNew)), revised: new Map() };
  }

  /** Settles everything: no more text comes. */
  finish(): MarkdownChange {
    const settled = [...this.#blocks.feed(this.#held.replace("\r", "\n")), ...this.#blocks.finish()];
    this.#held = "";
    this.#lateLinks.add(settled, this.#blocks.links);
    return { settled, tail: [], more: "", revised: this.#lateLinks.revise() };
  }

  // A line's end or a character may be cut in two: its first half waits for the second.
  #whole(text: string): string {
    const all = this.#held + text;
    this.#held = /[\r\ud800-\udbff]$/.exec(all)?.[0] ?? "";
    return all.slice(0, all.length - this.#held.length).replace(/\r\n?/g, "\n");
  }

  #fence(fence: OpenFence, isNew: boolean): Tail {
    const { token } = fence;
    return {
      tail: isNew ? [{ type: "block", token, raw: token.raw, start: 0 }] : undefined,
      more: fence.show(),
    };
  }

  #tail(isNew: boolean): Tail {
    const { source, links, inList } = this.#blocks;
    const from = this.#tailShown;
    this.#tailShown = source.length;
    if (!isNew && source.length > pieceSize && source.length < this.#tailRead * 1.125) {
      return { tail: undefined, more: source.slice(from) };
    }
    this.#tailRead = source.length;
    this.#charactersRead += source.length;
    return { tail: unitsOf(lex(repairTail(source), links), inList).filter(isShown), more: "" };
  }
}
