import { type Artifact, memberIn, snapshot } from "@parley/a2a";
import { wordsOf } from "./artifact-kind.ts";
import type { RunTexts } from "./run-texts.ts";

/** Artifacts that repeat the answer whole: checked against it in the end, never said twice; where they differ, they hold. */
export class AnswerSnapshots {
  readonly #texts: RunTexts;
  readonly #snapshots = new Map<string, { readonly of: string | undefined; readonly text: string }>();

  constructor(texts: RunTexts) {
    this.#texts = texts;
  }

  accept({ artifactId, parts, metadata }: Artifact, isPiece: boolean): void {
    const before = isPiece ? (this.#snapshots.get(artifactId)?.text ?? "") : "";
    const of = memberIn(metadata, snapshot).value?.artifactId;
    this.#snapshots.set(artifactId, { of, text: before + wordsOf(parts) });
  }

  judge(): void {
    for (const [artifactId, { of, text }] of this.#snapshots) {
      const named = of === undefined ? undefined : this.#texts.get(of);
      const [first, ...others] = named ? [named] : this.#texts.of("answer");
      const target = first ?? this.#texts.open({ artifactId, channel: "answer" });
      const said = named ? named.said : this.#texts.answer;
      if (said.includes(text.trim())) continue;
      for (const other of others) other.restart("");
      target.bringTo(text, { final: true });
    }
    this.#snapshots.clear();
  }

  forget(): void {
    this.#snapshots.clear();
  }
}
