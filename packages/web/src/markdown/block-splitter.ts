import type { Links } from "marked";
import { type BlockReading, mergedLinks, readBlocks } from "./dialect.ts";
import { OpenFence } from "./open-fence.ts";
import { definedLinks, isShown, type Unit, unitsOf } from "./unit.ts";

/** Text is read in pieces of this size; what is longer and not settled is read again only as it grows by an eighth. */
export const pieceSize = 4096;
/** A block (other than a fence) that is longer is cut there, so that none takes long to read. */
const unitLimit = 16_384;
// After a blank line, a line at the margin ends whatever came before, or begins another item.
const linesThatSettle = /\n[ \t]*\n\S[^\n]*\n/;
const highSurrogateAtEnd = /[\ud800-\udbff]$/;

/** What is settled next: the text up to `end` and its units. */
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
export class BlockSplitter {
  /** How many characters were read so far: what this costs. */
  charactersRead = 0;
  /** The links that are defined in what is settled. */
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

  /** Settles what is left. */
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
