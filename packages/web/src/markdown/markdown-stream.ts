import type { Links } from "marked";
import remend from "remend";
import { type BlockReading, lex, mergedLinks, readBlocks } from "./dialect.ts";
import { OpenFence } from "./open-fence.ts";
import { definedLinks, isShown, type Unit, unitsOf } from "./unit.ts";

/** Text is parsed in pieces; a longer unsettled rest is parsed again only when it has grown by an eighth. */
const pieceSize = 4096;
/** Longer blocks (except fences) are cut, so that none takes long to parse. */
const unitLimit = 16_384;
// After a blank line, a line at the margin ends whatever came before, or begins another item.
const linesThatSettle = /\n[ \t]*\n\S[^\n]*\n/;
const highSurrogateAtEnd = /[\ud800-\udbff]$/;

interface Settling {
  readonly end: number;
  readonly units: readonly Unit[];
  readonly reading: BlockReading;
  /** Whether what follows is a further item of the list that these units end with. */
  readonly continues: boolean;
}

/**
 * Cuts text that grows into units that no further text can change. A unit is settled when a complete line of the next
 * one has been read; in the end the units are those of the whole text read at once.
 */
class BlockSplitter {
  /** How many characters were read so far: what this costs. */
  charactersRead = 0;
  links: Links = Object.create(null);
  /** The text that is not settled; it begins with a unit. */
  source = "";
  /** Whether that unit is a further item of the list that was settled last. */
  inList = false;
  /** The fence that the text begins with. */
  fence: OpenFence | undefined;
  #looked = 0;
  #contentEnd = 0;

  /** Takes further text, with line ends as \n, and returns the units that are settled by it. */
  feed(text: string): Unit[] {
    const settled: Unit[] = [];
    for (let start = 0, size = 0; start < text.length; start += size) {
      size = this.fence ? pieceSize : Math.min(pieceSize, unitLimit - this.source.length);
      const piece = text.slice(start, start + size);
      this.source += piece;
      for (let next = this.#next(piece); next; next = this.#next("")) settled.push(...this.#settle(next));
    }
    return settled;
  }

  finish(): Unit[] {
    return this.#settle(this.#all(this.source.length));
  }

  #next(piece: string): Settling | undefined {
    if (this.fence) return this.#closedFence(this.fence, piece);
    if (this.#looked === 0 && !this.inList) {
      this.source = this.source.replace(/^(?:[ \t]*\n)+/, "");
      this.fence = OpenFence.at(this.source);
      if (this.fence) return this.#closedFence(this.fence, this.source.slice(this.fence.token.raw.length));
    }
    return this.#allButLast() ?? (this.source.length >= unitLimit ? this.#all(this.#cut()) : undefined);
  }

  // The source is not looked at as long as the fence is open: joining strings is only cheap while nobody does.
  #closedFence(fence: OpenFence, piece: string): Settling | undefined {
    const end = fence.take(piece);
    return end === undefined ? undefined : this.#all(this.source.length - piece.length + end);
  }

  #allButLast(): Settling | undefined {
    const complete = this.source.lastIndexOf("\n") + 1;
    if (complete <= this.#looked) return undefined;
    const isDue =
      complete <= pieceSize || complete >= this.#looked * 1.125 || this.source.length >= unitLimit;
    if (!isDue && !linesThatSettle.test(this.source.slice(this.#contentEnd))) return undefined;
    this.#looked = complete;
    this.#contentEnd = this.source.slice(0, complete).trimEnd().length;
    const { reading, units } = this.#all(complete);
    const last = units.at(-1);
    if (!last || units.length === 1) return undefined;
    const continues = last.type === "item" && last.continues;
    return { end: last.start, units: units.slice(0, -1), reading, continues };
  }

  #cut(): number {
    const line = this.source.lastIndexOf("\n") + 1;
    return line || unitLimit - (highSurrogateAtEnd.test(this.source) ? 1 : 0);
  }

  #all(end: number): Settling {
    this.charactersRead += end;
    const reading = readBlocks(this.source.slice(0, end));
    return { end, units: unitsOf(reading.tokens, this.inList), reading, continues: false };
  }

  #settle({ end, units, reading, continues }: Settling): Unit[] {
    this.links = mergedLinks(definedLinks(units), this.links);
    reading.readInline(this.links);
    this.charactersRead += end;
    this.source = this.source.slice(end);
    this.inList = continues;
    this.fence = undefined;
    this.#looked = this.#contentEnd = 0;
    return units.filter(isShown);
  }
}

/** Settled units that may refer to a link that is only defined after them. */
class LateLinks {
  #links: Links = {};
  #units: { place: number; unit: Unit; known: number }[] = [];
  #count = 0;

  /** Remembers the next units, and the links that were known with them. */
  add(units: readonly Unit[], links: Links): void {
    this.#links = links;
    const known = Object.keys(links).length;
    for (const unit of units) {
      if (unit.raw.includes("[")) this.#units.push({ place: this.#count, unit, known });
      this.#count += 1;
    }
  }

  /** The units, by their place, that came before the last definition, read again. */
  revise(): Map<number, Unit> {
    const all = Object.keys(this.#links).length;
    const revised = new Map<number, Unit>();
    for (const { place, unit, known } of this.#units) {
      if (known === all) continue;
      const inList = unit.type === "item" && unit.continues;
      revised.set(place, unitsOf(lex(unit.raw, this.#links), inList)[0] ?? unit);
    }
    return revised;
  }
}

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

/** Closes open syntax at the end of a growing text, so that it already looks as it will. */
function repairTail(source: string): string {
  // Nobody writes this; looking for the partner of each bracket would take long.
  if (source.length > 8192 || source.split("[").length > 200) return source;
  return remend(completeTableHead(source), {
    linkMode: "text-only",
    katex: false,
    handlers: [{ name: "inline math", handle: completeInlineMath }],
  });
}

// A row of cells after a blank line is the head of a table whose second line is still to come.
function completeTableHead(source: string): string {
  const match = /(?:^|\n[ \t]*\n)[ \t]*(\|[^\n|]+(?:\|[^\n]*)?)(\n[ \t]*(?:[|:-][|:\- ]*)?)?$/.exec(source);
  if (!match?.[1]) return source;
  const head = match[1].trimEnd();
  const cells = head.split("|").filter((cell) => cell.trim() !== "").length;
  const beginning = source.slice(0, source.length - (match[2]?.length ?? 0)).trimEnd();
  return `${beginning}${head.endsWith("|") ? "" : " |"}\n|${"---|".repeat(cells)}`;
}

function completeInlineMath(source: string): string {
  const line = source.slice(source.lastIndexOf("\n") + 1);
  const open = line.lastIndexOf("\\(");
  return open !== -1 && line.indexOf("\\)", open) === -1 && line.length > open + 2 ? `${source}\\)` : source;
}
