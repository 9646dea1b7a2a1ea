import { isDeepStrictEqual } from "node:util";
import type { Part } from "../protocol/model.ts";

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
export function occursIn(piece: readonly Part[], whole: readonly Part[]): boolean {
  return piece.every(({ text, ...rest }) =>
    whole.some((part) =>
      text === undefined ? isDeepStrictEqual(rest, part) : (part.text?.includes(text) ?? false),
    ),
  );
}

/** How much there is: characters, and one for every part that is not text. */
export function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((size, { text }) => size + (text?.length ?? 1), 0);
}

/** How far something has said the same as these parts: the last of them that it came to, and how much of its text. */
export interface Place {
  readonly part: number;
  readonly characters: number;
}

/** Where nothing is said yet. */
export const START: Place = { part: -1, characters: 0 };

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

/** What was said up to the place. */
export function partsUpTo({ part, characters }: Place, whole: readonly Part[]): Part[] {
  return whole
    .slice(0, part + 1)
    .map((it, index) =>
      index === part && it.text !== undefined ? { ...it, text: it.text.slice(0, characters) } : it,
    );
}
