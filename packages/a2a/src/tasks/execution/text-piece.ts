import { JsonText } from "@parley/journal";
import type { Artifact } from "../../protocol/model.ts";

export interface PieceOwner {
  readonly taskId: string;
  readonly contextId: string;
}

export type ArtifactHead = Omit<Artifact, "parts">;

/** All that the pieces of one artifact have in common, as text: made once, because most events are such pieces. */
export function pieceOpening(owner: PieceOwner, head: ArtifactHead): string {
  const artifact = JSON.stringify({ ...head, parts: [] }).slice(0, -"]}".length);
  const { taskId, contextId } = owner;
  return `{"artifactUpdate":${JSON.stringify({ taskId, contextId }).slice(0, -1)},"artifact":${artifact}{"text":`;
}

export class TextPiece {
  readonly #opening: string;
  readonly #append: boolean;
  #text: string;
  #last: boolean;

  constructor(opening: string, text: string, { append, last }: { append: boolean; last: boolean }) {
    this.#opening = opening;
    this.#append = append;
    this.#text = text;
    this.#last = last;
  }

  /** Takes the next piece in, if that changes nothing for a reader; false means that it must stand alone. */
  join(next: TextPiece): boolean {
    const fits = this.#text.length + next.#text.length <= 65_536;
    if (!fits || this.#last || !next.#append || next.#opening !== this.#opening) return false;
    this.#text += next.#text;
    this.#last = next.#last;
    return true;
  }

  get event(): JsonText {
    const flags = `"append":${this.#append},"lastChunk":${this.#last}`;
    return new JsonText(`${this.#opening}${JSON.stringify(this.#text)}}]},${flags}}}`);
  }
}
