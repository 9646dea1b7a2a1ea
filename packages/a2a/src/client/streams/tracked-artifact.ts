import { isDeepStrictEqual } from "node:util";
import type { Part } from "../../protocol/model.ts";

/** How far something has said the same as these parts: the last of them that it came to, and how much of its text. */
export interface Place {
  readonly part: number;
  readonly characters: number;
}

export const START: Place = { part: -1, characters: 0 };

/** What is left to yield of a piece: some parts that append or begin anew, or nothing. */
export type PieceOutcome =
  | { readonly kind: "append" | "begin" | "replace"; readonly parts: readonly Part[] }
  | { readonly kind: "repeated" };

const REPEATED: PieceOutcome = { kind: "repeated" };

/** A repetition that is followed through the known text: how far it has come, and who began it. */
interface Replay {
  readonly place: Place;
  readonly from: "piece" | "snapshot";
}

/**
 * What was yielded of one artifact, and the judge of what came again. While nothing was interrupted every piece
 * counts as it is. After a reconnect pieces may repeat what is known; their position in the text decides, and where
 * the text alone cannot (a piece that says what was said before), the agent's own record of the task does.
 */
export class TrackedArtifact {
  #known: Part[];
  /** Begun before we came, so the text is not known from its start. */
  #partial: boolean;
  #overlapping = false;
  #record: readonly Part[] | undefined;
  #replay: Replay | undefined;

  constructor(parts: readonly Part[], { partial = false } = {}) {
    this.#known = appended([], parts);
    this.#partial = partial;
  }

  /** Whether pieces may repeat what is known, from now on. */
  mayRepeat(overlapping: boolean): void {
    this.#overlapping = overlapping;
    this.#record = undefined;
    this.#replay = undefined;
  }

  /** Whether only the agent's record can tell if this piece is new. */
  needsRecord(parts: readonly Part[]): boolean {
    if (!this.#overlapping || this.#replay) return false;
    const piece = joined(parts);
    if (piece.length === 0 || !occursIn(piece, this.#known)) return false;
    return this.#record === undefined || sizeOf(this.#record) < sizeOf(this.#known) + sizeOf(piece);
  }

  learn(parts: readonly Part[]): void {
    this.#record = joined(parts);
  }

  begin(parts: readonly Part[]): PieceOutcome {
    if (!this.#overlapping) return this.#replaceBy(parts, "begin");
    const piece = joined(parts);
    const rest = this.#partial ? undefined : partsAfter(this.#known, piece);
    if (rest) return this.#append(rest);
    const place = this.#partial ? undefined : placeAfter(START, piece, this.#known);
    if (!place) return this.#replaceBy(parts, "replace");
    this.#replay = { place, from: "piece" };
    return REPEATED;
  }

  append(parts: readonly Part[]): PieceOutcome {
    if (!this.#overlapping) return this.#append(parts);
    if (this.#replay) return this.#follow(this.#replay, parts);
    const piece = joined(parts);
    if (piece.length === 0) return this.#append(parts);
    if (occursIn(piece, this.#known) && !this.#recordHas(piece)) return REPEATED;
    this.mayRepeat(false);
    return this.#append(parts);
  }

  /**
   * The whole artifact, as the agent has it now; `final` when nothing will follow. One that is behind what
   * was yielded is no contradiction before that: agents publish before they store.
   */
  whole(parts: readonly Part[], { final }: { readonly final: boolean }): PieceOutcome {
    const now = joined(parts);
    const rest = this.#partial ? undefined : partsAfter(this.#known, now);
    if (rest) return this.#append(rest);
    const place = this.#partial || final ? undefined : placeAfter(START, now, this.#known);
    if (!place) return this.#replaceBy(parts, "replace");
    if (this.#overlapping) this.#replay = { place, from: "snapshot" };
    return REPEATED;
  }

  #follow(replay: Replay, parts: readonly Part[]): PieceOutcome {
    const place = placeAfter(replay.place, parts, this.#known);
    if (place) {
      this.#replay = { ...replay, place };
      return REPEATED;
    }
    this.mayRepeat(false);
    const said = appended(partsUpTo(replay.place, this.#known), parts);
    const rest = partsAfter(this.#known, said);
    if (rest) return this.#append(rest);
    // A stale snapshot was followed by news; a restarted artifact took another turn.
    return replay.from === "snapshot" ? this.#append(parts) : this.#replaceBy(said, "replace");
  }

  #recordHas(piece: readonly Part[]): boolean {
    const longer = appended([...this.#known], piece);
    return this.#record !== undefined && partsAfter(longer, this.#record) !== undefined;
  }

  #append(parts: readonly Part[]): PieceOutcome {
    appended(this.#known, parts);
    return { kind: "append", parts };
  }

  #replaceBy(parts: readonly Part[], kind: "begin" | "replace"): PieceOutcome {
    this.#known = appended([], parts);
    this.#partial = false;
    return { kind, parts };
  }
}

/** The parts with neighbouring texts joined and empty ones left out, so that it does not matter how they were cut. */
export function joined(parts: readonly Part[]): readonly Part[] {
  return appended([], parts);
}

/** The parts that these come to when more are appended; the cost is that of what is appended. */
export function appended(known: Part[], more: readonly Part[]): Part[] {
  for (const part of more) {
    const last = known.at(-1);
    if (part.text === "") continue;
    if (part.text !== undefined && last?.text !== undefined) {
      known[known.length - 1] = { ...last, text: last.text + part.text };
    } else known.push(part);
  }
  return known;
}

/** What the whole has beyond the beginning, or undefined when it does not begin so; both joined. */
export function partsAfter(beginning: readonly Part[], whole: readonly Part[]): readonly Part[] | undefined {
  for (const [index, part] of beginning.entries()) {
    const other = whole[index];
    if (other === undefined) return undefined;
    if (part.text === undefined || other.text === undefined) {
      if (!isDeepStrictEqual(part, other)) return undefined;
    } else if (part.text !== other.text) {
      const isLast = index === beginning.length - 1;
      if (!isLast || !other.text.startsWith(part.text)) return undefined;
      return [{ ...other, text: other.text.slice(part.text.length) }, ...whole.slice(index + 1)];
    }
  }
  return whole.slice(beginning.length);
}

/** Whether this piece occurs somewhere in the whole, so that it may have been seen; both joined. */
function occursIn(piece: readonly Part[], whole: readonly Part[]): boolean {
  return piece.every(({ text, ...rest }) =>
    whole.some((part) =>
      text === undefined ? isDeepStrictEqual(rest, part) : (part.text?.includes(text) ?? false),
    ),
  );
}

/** How much there is: characters, and one for every part that is not text. */
function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((size, { text }) => size + (text?.length ?? 1), 0);
}

/** The place that these parts lead to, or undefined when the whole, which is joined, does not go on so. */
export function placeAfter(place: Place, more: readonly Part[], whole: readonly Part[]): Place | undefined {
  let { part, characters } = place;
  for (const piece of more) {
    if (piece.text === "") continue;
    const text = whole[part]?.text;
    if (piece.text !== undefined && text !== undefined) {
      if (!text.startsWith(piece.text, characters)) return undefined;
      characters += piece.text.length;
      continue;
    }
    const next = whole[part + 1];
    const isNext =
      piece.text === undefined ? isDeepStrictEqual(piece, next) : next?.text?.startsWith(piece.text);
    if (!isNext || (text !== undefined && characters < text.length)) return undefined;
    part++;
    characters = piece.text?.length ?? 0;
  }
  return { part, characters };
}

export function partsUpTo({ part, characters }: Place, whole: readonly Part[]): Part[] {
  return whole
    .slice(0, part + 1)
    .map((it, index) =>
      index === part && it.text !== undefined ? { ...it, text: it.text.slice(0, characters) } : it,
    );
}
