import type { Part } from "../protocol/model.ts";
import {
  appended,
  joined,
  occursIn,
  type Place,
  partsAfter,
  partsUpTo,
  placeAfter,
  START,
  sizeOf,
} from "./artifact-content.ts";

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

  /** From now on pieces may repeat what is known. */
  mayRepeat(): void {
    this.#overlapping = true;
    this.#record = undefined;
    this.#replay = undefined;
  }

  /** From now on nothing repeats. */
  isNew(): void {
    this.#overlapping = false;
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

  /** The artifact as the agent's record has it, to judge the next pieces by. */
  learn(parts: readonly Part[]): void {
    this.#record = joined(parts);
  }

  /** A piece that begins the artifact anew. */
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
    this.isNew();
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
    this.isNew();
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
